import postgres, { type Sql } from 'postgres'
import { pause } from '../lib/pause.ts'

const checkMs = 1000

/**
 * Runs `work` in the process that holds an advisory lock on a separate connection. The lock ends with the connection, which may be before
 * its holder notices, so two processes can overlap briefly. The others retry every `retryMs`, because waiting inside the database would
 * hold a snapshot there. A lease does not work through a connection pooler in transaction mode.
 */
export async function withLease(
  sql: Sql,
  name: string,
  { retryMs, signal }: { retryMs: number; signal: AbortSignal },
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController()
  // postgres.js builds its own connection for listen() from its parsed options in the same way, though its types do not allow it.
  const options: object = {
    ...sql.options,
    max: 1,
    idle_timeout: null,
    max_lifetime: null,
    fetch_types: false,
    onclose: () => lost.abort(new Error(`The connection that holds the lease ${name} was closed.`)),
  }
  const connection = postgres(options)
  const held = AbortSignal.any([signal, lost.signal])
  try {
    const pid = await acquire(connection, name, retryMs, held)
    if (pid === undefined) return
    let problem: { readonly reason: unknown } | undefined
    await Promise.allSettled([
      work(held)
        .catch((reason: unknown) => {
          // An error after the lease was lost is only a consequence of the loss.
          if (!held.aborted) problem = { reason }
        })
        .finally(() => lost.abort()),
      // A connection may be dead without being closed, which only a repeated query detects.
      guard(connection, pid, held).catch((error: unknown) => lost.abort(error)),
    ])
    if (problem) throw problem.reason
  } finally {
    await connection.end({ timeout: 1 })
  }
}

async function acquire(connection: Sql, name: string, retryMs: number, signal: AbortSignal): Promise<number | undefined> {
  while (!signal.aborted) {
    const [row] = await connection<{ pid: number; taken: boolean }[]>`
      select pg_backend_pid() as pid, pg_try_advisory_lock(hashtextextended(${name}, 0)) as taken`
    if (row?.taken) return row.pid
    await pause(retryMs, signal)
  }
  return undefined
}

async function guard(connection: Sql, pid: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [row] = await connection<{ pid: number }[]>`select pg_backend_pid() as pid`
    if (row?.pid !== pid) throw new Error('The connection was replaced, and the lease was lost with the old one.')
    await pause(checkMs, signal)
  }
}
