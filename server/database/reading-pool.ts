import postgres, { type Sql } from 'postgres'

/**
 * Connections for reads that nobody's money waits for, with the database and the credentials of `sql`. They neither take connections from the
 * rest of the service nor wait for one, and PostgreSQL ends a read that takes too long, so that a slow one does not keep a connection.
 */
export function readingPool(sql: Sql, { max, timeoutMs }: { readonly max: number; readonly timeoutMs: number }): Sql {
  // postgres.js builds its own connection for listen() from its parsed options in the same way, though its types do not allow it.
  const options: object = { ...sql.options, max, connection: { ...sql.options.connection, statement_timeout: timeoutMs } }
  return postgres(options)
}
