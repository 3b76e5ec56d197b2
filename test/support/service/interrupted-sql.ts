import type { Sql } from 'postgres'

/** A database whose caller may be killed before every transaction: `interrupt` then throws. */
export const interruptedTransactions = (sql: Sql, interrupt: () => unknown): Sql =>
  new Proxy(sql, {
    get(target, name) {
      if (name !== 'begin') return Reflect.get(target, name)
      return async (work: never) => {
        interrupt()
        return target.begin(work)
      }
    },
  })
