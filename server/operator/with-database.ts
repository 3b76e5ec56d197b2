import { connect, type Sql } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'
import { type Env, required } from './command.ts'

/** As the service does it: the schema is brought up to date first, so that a first organisation may come before a first start. */
export async function withDatabase<T>(env: Env, work: (sql: Sql) => Promise<T>): Promise<T> {
  const url = required(env, 'DATABASE_URL')
  await migrate(url)
  const sql = connect(url, 1)
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 3 })
  }
}
