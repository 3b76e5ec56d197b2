import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownOrders } from '../../server/compose/own-orders.ts'
import { currencyFinder } from '../../server/currencies/currencies.ts'
import { transactionFinder } from '../../server/orders/routes/transactions.ts'
import type { OrderSource } from '../../server/pages/order-source.ts'
import { startWorld, type World } from '../incoming/x402/support.ts'

/** A service's own pages may do with its orders what the publishable key may, with the same rate limits. */

let world: World
let source: OrderSource
const usedKeys: string[] = []
beforeAll(async () => {
  world = await startWorld()
  const { engine } = world.running
  const keys = { find: async (key: string) => void usedKeys.push(key) }
  source = ownOrders({ engine, keys, findTransaction: transactionFinder(engine), findCurrencies: currencyFinder(engine) })
})
afterAll(() => world?.close())

test('default: an order, its payment methods and currencies match the API', async () => {
  const { id } = await world.order()
  expect(await source.order(id)).toMatchObject({ ok: true, value: { id, status: 'PENDING', fulfillment: { fiat_unit: 'usd' } } })
  expect(await source.methods(id, undefined)).toMatchObject({ ok: true, value: [{ method: 'WALLET', available: true }, {}, {}] })
  expect(await source.currencies(id, 'usdc')).toMatchObject({ ok: true, value: [{ symbol: 'USDC', payable: true }] })
  expect(await source.order('ord_of_nobody')).toMatchObject({ ok: false, status: 404 })
  expect(usedKeys).toContain(await source.keyFor(id))
})

test('behavior: forms get the same refusals as the API, with its codes', async () => {
  const { id } = await world.order()
  const currency = { chain_id: 8453, address: world.dollar }
  const request = { source: { currency, payment_rail: 'CRYPTO' } } as const
  expect(await source.requestPayment(id, { ...request, refund_address: 'hello' })).toMatchObject({ ok: false, status: 422 })
  const elsewhere = { source: { currency: { ...currency, chain_id: 999 }, payment_rail: 'CRYPTO' } } as const
  expect(await source.requestPayment(id, elsewhere)).toMatchObject({ ok: false, status: 400 })
  const unknown = { source: { currency: { ...currency, address: `0x${'12'.repeat(20)}` }, payment_rail: 'CRYPTO' } } as const
  expect(await source.requestPayment(id, unknown)).toMatchObject({ ok: false, status: 422, problem: 'currency_unavailable' })
  expect(await source.requestPayment(id, request)).toMatchObject({ ok: true })
})

test('behavior: transaction look-ups have the API’s rate limit: six for an order, then one in ten seconds', async () => {
  const { id } = await world.order()
  const hash = `0x${'ab'.repeat(32)}`
  for (let times = 0; times < 6; times++)
    expect(await source.findTransaction(id, hash)).toMatchObject({ ok: true, value: { found: false } })
  await expect.poll(() => source.findTransaction(id, hash)).toMatchObject({ ok: false, status: 429 })
})

test('behavior: an order whose organisation has no active key has no page', async () => {
  const { id } = await world.order()
  const open = async () => (await fetch(`${world.running.payUrl}/pay/${id}`)).status
  expect(await open()).toBe(200)
  const { sql } = world.running.engine
  await sql`update api_keys set active = false where not is_internal`
  expect(await source.order(id)).toMatchObject({ ok: false, status: 404 })
  expect(await open()).toBe(404)
  await sql`update api_keys set active = true where not is_internal`
})
