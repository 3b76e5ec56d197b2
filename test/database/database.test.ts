import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

test('behavior: every test file has a migrated PostgreSQL database of its own', async () => {
  const [row] = await database.sql`
    select current_database() as name, current_setting('server_version_num')::int as version, to_regclass('migrations') is not null as migrated`
  expect(row).toMatchObject({ migrated: true })
  expect(row!.version).toBeGreaterThanOrEqual(180000)
  expect(database.url).toContain(row!.name)
})
