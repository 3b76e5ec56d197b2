import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from 'postgres'

/** Reads the kernel's CPU counters of a process, in hundredths of a second. Returns undefined if the process has ended. */
function countersOf(pid: number): { parent: number; own: number; ended: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number)
    return { parent: fields[1]!, own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! }
  } catch {
    return undefined
  }
}

/** Returns the CPU time that these processes have used so far, in milliseconds. */
export const cpuTimeOf = (...pids: readonly number[]): number => pids.reduce((sum, pid) => sum + (countersOf(pid)?.own ?? 0) * 10, 0)

/** PostgreSQL has a process per connection, so this adds up the server, its children, and the children that have already ended. */
export async function cpuTimeOfPostgres(sql: Sql): Promise<number> {
  const [row] = await sql`select pg_backend_pid() as pid`
  const main = countersOf(row!.pid)!.parent
  const children = readdirSync('/proc').filter((name) => countersOf(Number(name))?.parent === main)
  return cpuTimeOf(main, ...children.map(Number)) + countersOf(main)!.ended * 10
}

const idleSeconds = 4

/** Returns the CPU time per idle second, which goes into polling chains and queues and pinging sockets. */
export async function idleCpuTime(pid: number): Promise<number> {
  const before = cpuTimeOf(pid)
  await sleep(idleSeconds * 1_000)
  return (cpuTimeOf(pid) - before) / idleSeconds
}
