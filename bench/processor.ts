import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'

/** The kernel's CPU counters of a process, in hundredths of a second. Undefined: it is gone. */
function countersOf(pid: number): { parent: number; own: number; ended: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number)
    return { parent: fields[1]!, own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! }
  } catch {
    return undefined
  }
}

/** The CPU time that these processes have used, in milliseconds. */
export const processorOf = (...pids: readonly number[]): number => pids.reduce((sum, pid) => sum + (countersOf(pid)?.own ?? 0) * 10, 0)

/** The same for PostgreSQL: its process per connection, and those that have ended. */
export async function processorOfPostgres(sql: Sql): Promise<number> {
  const [row] = await sql`select pg_backend_pid() as pid`
  const main = countersOf(row!.pid)!.parent
  const children = readdirSync('/proc').filter((name) => countersOf(Number(name))?.parent === main)
  return processorOf(main, ...children.map(Number)) + countersOf(main)!.ended * 10
}

const idleSeconds = 4

/** The CPU time per idle second, in which chains and queues are polled and sockets pinged. */
export async function idleProcessor(pid: number): Promise<number> {
  const before = processorOf(pid)
  await sleep(idleSeconds * 1_000)
  return (processorOf(pid) - before) / idleSeconds
}
