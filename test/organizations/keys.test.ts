import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Keys } from '../../server/http/access.ts'
import { keysOf } from '../../server/organizations/keys.ts'
import { bareOrganization } from '../events/support.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'

/** API key look-ups, and what they cost the database. */

let database: TestDatabase
let counted: postgres.Sql
let statements = 0
let time = 0
let keys: Keys
beforeAll(async () => {
  database = await createDatabase()
  await bareOrganization(database.sql)
  counted = postgres(database.url, { max: 3, debug: (_, query) => void (query.includes('from api_keys') && statements++) })
  keys = keysOf(counted, () => time)
})
afterAll(async () => {
  await counted?.end()
  await database?.drop()
})

test('default: a key is found and cached briefly', async () => {
  expect(await keys.find('pk_org_a')).toMatchObject({ id: 'key_org_a', organizationId: 'org_a' })
  const before = statements
  await Promise.all(Array.from({ length: 100 }, () => keys.find('pk_org_a')))
  expect(statements).toBe(before)
})

test('behavior: a thousand concurrent guesses are two statements, and the valid key among them is found', async () => {
  time += 60_000
  const before = statements
  const guesses = Array.from({ length: 1_000 }, (_, index) => keys.find(`pk_guess_${index}`))
  const [good, ...found] = await Promise.all([keys.find('pk_org_a'), ...guesses])
  expect(good?.id).toBe('key_org_a')
  expect(found.filter((key) => key !== undefined)).toEqual([])
  expect(statements - before).toBeLessThanOrEqual(2)
})

test('behavior: guesses evict no key from the cache', async () => {
  await keys.find('pk_org_a')
  await Promise.all(Array.from({ length: 20_000 }, (_, index) => keys.find(`pk_flood_${index}`)))
  const before = statements
  expect((await keys.find('pk_org_a'))?.id).toBe('key_org_a')
  expect(statements).toBe(before)
})

test('behavior: a key that is switched off is inactive at once and not found once the cache expires', async () => {
  expect([...(await keys.active(['pk_org_a', 'pk_guess_1']))]).toEqual(['pk_org_a'])
  await database.sql`update api_keys set active = false where id = 'key_org_a'`
  expect((await keys.active(['pk_org_a'])).size).toBe(0)
  time += 5_001
  expect(await keys.find('pk_org_a')).toBeUndefined()
})

test('error: a failed database read is not cached', async () => {
  await database.sql`alter table api_keys rename to api_keys_away`
  time += 60_000
  await expect(keys.find('pk_org_a')).rejects.toThrow(/api_keys/)
  await database.sql`alter table api_keys_away rename to api_keys`
  await database.sql`update api_keys set active = true`
  expect((await keys.find('pk_org_a'))?.id).toBe('key_org_a')
})
