import type { Sql, Tx } from './connect.ts'

const callbacksOf = new WeakMap<Tx, Set<() => void>>()

/** Runs `work` in a transaction and, after its commit, the callbacks registered by `afterCommit`. A rollback discards them. */
export async function transaction<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  const callbacks = new Set<() => void>()
  const result = await sql.begin(async (tx) => {
    callbacksOf.set(tx, callbacks)
    return { value: await work(tx) }
  })
  for (const callback of callbacks) callback()
  return result.value
}

/** Registers a callback to run after the commit. It runs once, even if the same function is registered several times. */
export function afterCommit(tx: Tx, callback: () => void): void {
  const callbacks = callbacksOf.get(tx)
  if (!callbacks) throw new Error('afterCommit needs a transaction that was begun by transaction()')
  callbacks.add(callback)
}
