import { afterAll, beforeAll, expect, test } from 'vitest'
import pino from 'pino'
import { cost } from '../../server/chains/evm/costs.ts'
import { costsOf, median } from '../../server/orders/costs.ts'
import { payers } from '../../local/chains/accounts.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'
import { startWorld, type World } from '../incoming/x402/support.ts'

/** The minimum order amount follows the real cost of a settlement and an hourly gas price shared by all processes. */

let world: World
let database: TestDatabase
beforeAll(async () => {
  ;[world, database] = await Promise.all([startWorld(), createDatabase()])
})
afterAll(async () => {
  await Promise.all([world?.close(), database?.drop()])
})

async function gasOf(currency: { chain_id: number; address: string | null }, send: (to: string, raw: bigint) => Promise<unknown>) {
  const { sql } = world.running.engine
  const order = await world.client.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd', currency } })
  const params = { order_id: order.id }
  const { data } = await world.client.ask('requestPayment', { params, body: { source: { currency, payment_rail: 'CRYPTO' } } })
  const [step] = data.steps
  if (step?.kind !== 'deposit') throw new Error('no deposit step')
  await send(step.data.deposit_address, BigInt(step.data.amount))
  await until(async () => {
    await world.test.mine()
    return (await world.get(order.id)).status === 'COMPLETED'
  })
  const [row] = await sql`select mined_hash from sends where order_id = ${order.id}`
  const [receipt] = await world.test.anvil.ask(['eth_getTransactionReceipt', row!.mined_hash])
  return BigInt((receipt as { gasUsed: string }).gasUsed)
}

test('default: a settlement uses no more gas than the estimate, and not much less', async () => {
  const { sql } = world.running.engine
  const [payer] = payers
  const usdc = { chain_id: 8453, address: world.dollar }
  const native = { chain_id: 8453, address: null }
  for (const customBps of [0, 50]) {
    await sql`update organizations set fees = fees || ${sql.json({ customBps })}`
    const inToken = await gasOf(usdc, (to, raw) => world.test.sendToken(payer!, 'USDC', to, raw))
    const inCoin = await gasOf(native, (to, raw) => world.test.sendNative(payer!, to, raw))
    for (const [used, reckoned] of [
      [inToken, cost('settle', usdc, 1n)],
      [inCoin, cost('settle', native, 1n)],
    ] as const) {
      expect(used).toBeLessThanOrEqual(reckoned)
      expect(used * 2n).toBeGreaterThan(reckoned)
    }
  }
})

test('behavior: the gas price is the median of the last hour, shared by all processes', async () => {
  const { sql } = database
  let now = Date.parse('2026-05-12T14:10:00Z')
  const gwei = 1_000_000_000n
  const gasPrice = { of: 10n * gwei }
  const otherGasPrice = { of: 10n * gwei }
  const price = { get: async () => ({ usd: '2000', asOf: now }) }
  const asset = { chainId: 8453, address: null, symbol: 'ETH', name: 'Ether', decimals: 18 } as const
  const costs = (gas: { of: bigint }) =>
    costsOf({
      sql,
      clock: () => now,
      chains: new Map([[8453, { id: 8453, tokens: [], feeRate: async () => gas.of, cost }]]) as never,
      prices: price as never,
      log: pino({ level: 'silent' }),
    })
  const [first, second] = [costs(gasPrice), costs(otherGasPrice)]
  const signal = AbortSignal.timeout(60_000)
  const least = (gasPrice: bigint) => cost('settle', asset, gasPrice) * 2n
  await first.refresh(signal)
  // The price is fixed for the hour, and a second process uses the first one's.
  gasPrice.of = otherGasPrice.of = 90n * gwei
  await first.refresh(signal)
  await second.refresh(signal)
  expect([first.minimum(asset), second.minimum(asset)]).toEqual([least(10n * gwei), least(10n * gwei)])
  // A single spike does not change the median of the previous hour.
  gasPrice.of = 20n * gwei
  for (let minute = 15; minute < 60; minute += 5) {
    now = Date.parse(`2026-05-12T14:${minute}:00Z`)
    await first.refresh(signal)
  }
  now = Date.parse('2026-05-12T15:00:01Z')
  gasPrice.of = 500n * gwei
  await first.refresh(signal)
  await second.refresh(signal)
  expect([first.minimum(asset), second.minimum(asset)]).toEqual([least(20n * gwei), least(20n * gwei)])
})

test('error: a chain whose node is down does not delay another chain’s gas price', async () => {
  const native = { symbol: 'ETH', name: 'Ether', decimals: 18, address: null } as const
  const costs = costsOf({
    sql: database.sql,
    clock: () => Date.parse('2026-06-01T10:00:00Z'),
    chains: new Map([
      [1, { id: 1, tokens: [], feeRate: () => Promise.reject(new Error('no node')) }],
      [137, { id: 137, tokens: [], feeRate: async () => 7n, cost }],
    ]) as never,
    prices: { get: async () => undefined } as never,
    log: pino({ level: 'silent' }),
  })
  await expect(costs.refresh(AbortSignal.timeout(60_000))).rejects.toThrow('no node')
  expect(costs.minimum({ ...native, chainId: 137 })).toBe(cost('settle', native, 14n))
  expect(costs.minimum({ ...native, chainId: 1 })).toBe(0n)
})

test('default: the median is the middle value', () => {
  expect([median([]), median([3n]), median([5n, 1n, 3n]), median([4n, 1n, 3n, 2n])]).toEqual([undefined, 3n, 3n, 2n])
})
