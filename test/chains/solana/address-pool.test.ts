import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Chain, DepositAsk } from '../../../server/chains/chain.ts'
import { addressPool } from '../../../server/chains/solana/address-pool.ts'
import { createSolanaSigner, type SolanaSigner } from '../../../server/chains/solana/signer.ts'
import { solanaDeposits } from '../../../server/chains/solana/solana-deposits.ts'
import { codecs } from '../../../src/wire/addresses/codecs.ts'
import { depositsContract } from '../../contracts/deposits.ts'
import { keepAddressesReady, makeFirstAddresses } from '../../../server/compose/addresses-ready.ts'
import { createDatabase, type TestDatabase } from '../../support/service/database.ts'
import { until } from '../../support/wait.ts'

const log = { warn: () => undefined, error: () => undefined }
const signal = AbortSignal.timeout(600_000)
const hash = (text: string) => createHash('sha256').update(text).digest()
const signerOf = (seed: string) => createSolanaSigner({ kind: 'local', seed: hash(seed), operatorKey: hash('operator') })
const askOf = (orderId: string) => ({ orderId }) as DepositAsk

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database?.drop())

const reserveIn = (pool: ReturnType<typeof addressPool>) => async (orderId: string) =>
  (await database.sql.begin((tx) => pool.reserve(tx as never, askOf(orderId)))).address

describe('the contract', () => {
  const pools = [1, 2].map(() => addressPool({ signer: signerOf('contract'), size: 300 }))
  beforeAll(() => pools[0]!.fill(database.sql, signal))
  depositsContract('Solana, from the pool', () => ({ addresses: codecs.solana.addressesOn('main'), reserve: pools.map(reserveIn) }))
})

test('behavior: a thousand orders at once get an address each while the pool is filled', async () => {
  const pool = addressPool({ signer: signerOf('load'), size: 1_000 })
  await pool.fill(database.sql, signal)
  const stopping = new AbortController()
  const deposits = solanaDeposits({ chainId: 30_000_000_000_001, tokens: [], addressesAhead: 1_000 }, signerOf('load'))
  const filling = keepAddressesReady({ sql: database.sql, log }, { id: 30_000_000_000_001, deposits } as Chain, stopping.signal)
  const orders = Array.from({ length: 1_000 }, (_, i) => `load-${i}`)
  const addresses = await Promise.all(orders.map(reserveIn(pool)))
  expect(new Set(addresses).size).toBe(orders.length)
  const [first] = await signerOf('load').addresses(0, 1, signal)
  const free = async () =>
    (await database.sql`select count(*)::int as free from solana_addresses where signer = ${first!} and order_id is null`)[0]?.free
  await until(async () => (await free()) === 1_000, { what: 'the pool is full again' })
  stopping.abort()
  await filling
})

test('behavior: an order that is rolled back leaves its address to the next', async () => {
  const pool = addressPool({ signer: signerOf('rolled back'), size: 1 })
  await pool.fill(database.sql, signal)
  let taken = ''
  const failing = database.sql.begin(async (tx) => {
    taken = (await pool.reserve(tx as never, askOf('rolled-back'))).address
    throw new Error('the order is refused')
  })
  await expect(failing).rejects.toThrow('refused')
  expect(await reserveIn(pool)('next')).toBe(taken)
})

test('error: an empty pool refuses the order and says so, and an order that has an address keeps it', async () => {
  const pool = addressPool({ signer: signerOf('empty'), size: 1 })
  await pool.fill(database.sql, signal)
  const address = await reserveIn(pool)('last')
  await expect(reserveIn(pool)('one more')).rejects.toMatchObject({ code: 'addresses_used_up' })
  expect(await reserveIn(pool)('last')).toBe(address)
})

test('behavior: two processes that fill at once make the same addresses, and no key serves two orders', async () => {
  const pools = [1, 2].map(() => addressPool({ signer: signerOf('two'), size: 250 }))
  await Promise.all(pools.map((pool) => pool.fill(database.sql, signal)))
  const [first] = await signerOf('two').addresses(0, 1, signal)
  const rows = await database.sql`select key_index::int, address from solana_addresses where signer = ${first!} order by key_index`
  const expected = await signerOf('two').addresses(1, rows.length, signal)
  expect(rows.map(({ key_index }) => key_index)).toEqual(expected.map((_, i) => i + 1))
  expect(rows.map(({ address }) => address)).toEqual(expected)
})

test('behavior: a signer that fails once is asked again', async () => {
  const own = signerOf('failing')
  let failures = 1
  const failing: SolanaSigner = {
    ...own,
    addresses: (...asked) => (failures-- > 0 ? Promise.reject(new Error('the signer is away')) : own.addresses(...asked)),
  }
  const pool = addressPool({ signer: failing, size: 1 })
  await expect(pool.fill(database.sql, signal)).rejects.toThrow('away')
  await pool.fill(database.sql, signal)
  expect(await reserveIn(pool)('after the failure')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
})

test('error: only what an operator has to mend is an error, and not a database that restarts', async () => {
  const logged: string[] = []
  const levels = { warn: () => void logged.push('warn'), error: () => void logged.push('error') }
  for (const code of ['57P03', 'signer_unavailable']) {
    const deposits = { prepare: async () => Promise.reject(Object.assign(new Error(code), { code })) }
    await makeFirstAddresses({ sql: database.sql, log: levels }, [{ id: 30_000_000_000_001, deposits } as unknown as Chain], signal)
  }
  expect(logged).toEqual(['warn', 'error'])
})
