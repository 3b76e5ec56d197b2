import postgres from 'postgres'

export type Sql = postgres.Sql
export type Tx = postgres.TransactionSql

export const isTx = (sql: Sql | Tx): sql is Tx => 'savepoint' in sql

/** A transaction left idle would hold back the event log for every socket, so PostgreSQL ends it after five seconds. */
export const connect = (url: string, max = 10): Sql =>
  postgres(url, {
    max,
    onnotice: () => undefined,
    connection: { idle_in_transaction_session_timeout: 5000, lock_timeout: 10_000, statement_timeout: 30_000 },
    connect_timeout: 10,
    // A double holds chain ids, block numbers and sequences exactly. Money is `numeric` and arrives as a string.
    types: { int8: { to: 20, from: [20], parse: Number, serialize: String } },
  })
