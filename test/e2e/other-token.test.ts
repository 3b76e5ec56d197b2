import { parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import type { TestChain } from '../chains/support.ts'
import { sell } from '../support/orders/market.ts'
import { checkout, expectBooks, expireUntil, untilOrder, untilStatus } from '../support/orders/payments.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** Orders paid in another currency than they settle in, through a pool on a real chain. The tests share the market and run in turn. */

let stage: Stage
let process: Process
beforeAll(async () => {
  stage = await startStage()
  process = await stage.start()
})
afterAll(async () => {
  await stage?.close()
})

const [payer, trader] = [payers[1]!, payers[2]!]
const someone = () => privateKeyToAddress(generatePrivateKey()).toLowerCase()
const usd = (ui: string) => parseUnits(ui, 6)
const dai = (ui: string) => parseUnits(ui, 18)
async function balance({ chain }: TestChain, token: string | null, address: string): Promise<bigint> {
  const head = await chain.head(AbortSignal.timeout(60_000))
  return (await chain.balances([address], token, head.number, AbortSignal.timeout(60_000)))[0]!
}
const at = (chain_id: number, address: string | null) => ({ chain_id, address })
/** Checks the books once everything in flight is final. */
const books = (...ids: string[]) => expectBooks(stage, ids).then(() => true)
/** All that a conversion has yielded is the recipient's, but for the fees, and it is no less than what was due. */
async function expectYield(orderId: string, token: string, received: bigint, due: bigint): Promise<void> {
  const [yielded] = await stage.database.sql`
    select (-coalesce(sum(amount) filter (where account = 'conversion'), 0) - coalesce(sum(amount) filter (where account = 'fees'), 0))::text as rest
    from ledger where order_id = ${orderId} and token = ${token.toLowerCase()}`
  expect(received).toBe(BigInt(String(yielded?.rest)))
  expect(received).toBeGreaterThanOrEqual(due)
}
const fees = { customBps: 60, protocolBps: 25, relayerUsd: '0.05', gasUsd: '0.02' }

test('default: dollars are paid in a token of 18 decimals, and the recipient gets them to the last unit', async () => {
  const { base } = stage
  const merchant = await stage.merchant({ fees })
  const client = merchant.at(process)
  const source = at(8453, base.token('DAI'))
  const order = await checkout(client, { amount: '42.50', fiat_unit: 'usd' }, { source })
  const { input, output, funding } = order.payment
  expect([input?.currency.symbol, input?.currency.decimals, output?.currency.symbol]).toEqual(['DAI', 18, 'USDC'])
  expect(output?.amount.raw).toBe('42500000')
  expect(output?.amount_out_minimum.raw).toBe('42500000')
  expect(input?.amount.raw).toBe(funding?.required_amount.raw)
  // An amount that people type has at most eight decimals, and its breakdown adds up.
  expect(order.required % 10n ** 10n).toBe(0n)
  const { base: part, fees: shown, gas, total } = input!.breakdown
  expect(BigInt(part.raw) + BigInt(shown.total_fee.raw) + BigInt(gas.raw)).toBe(BigInt(total.raw))
  expect(BigInt(shown.custom_fee.raw) + BigInt(shown.protocol_fee.raw) + BigInt(shown.relayer_fee.raw)).toBe(BigInt(shown.total_fee.raw))
  expect(order.required).toBeGreaterThan(dai('42.9'))
  expect(order.required).toBeLessThan(dai('44.5'))

  await base.sendToken(payer, 'DAI', order.deposit, order.required)
  const done = await untilStatus(client, order.id, 'COMPLETED')
  expect(done.payment?.funding?.transactions).toMatchObject([{ state: 'applied', currency: { symbol: 'DAI' } }])
  expect(done.payment?.surplus).toBeUndefined()
  await expectYield(order.id, base.token('USDC'), await balance(base, base.token('USDC'), merchant.recipient), usd('42.50'))
  // What the conversion yields beyond the fees is the recipient's.
  expect(await balance(base, base.token('USDC'), order.deposit)).toBe(0n)
  expect(await balance(base, base.token('DAI'), order.deposit)).toBe(0n)
  await until(() => books(order.id))
})

test('behavior: payment in the native coin, and by a route over another token', async () => {
  const { base } = stage
  const merchant = await stage.merchant({ settlement: { address: base.token('DAI'), recipient: someone() } })
  const client = merchant.at(process)
  const order = await checkout(client, { amount: '100', fiat_unit: 'eur' }, { source: at(8453, null) })
  await base.sendNative(payer, order.deposit, order.required)
  await untilStatus(client, order.id, 'COMPLETED')
  await expectYield(order.id, base.token('DAI'), await balance(base, base.token('DAI'), merchant.recipient), dai('108'))
  await until(() => books(order.id))
})

test('behavior: settlement in the native coin with a fixed input: the recipient gets the whole output', async () => {
  const { base } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(process)
  const recipient = someone()
  const order = await checkout(
    client,
    { mode: 'DEPOSIT', amount: '250', fiat_unit: 'usd', currency: at(8453, null), recipient },
    { source: at(8453, base.token('USDC')) },
  )
  const least = BigInt(order.payment.output!.amount_out_minimum.raw)
  const expected = BigInt(order.payment.output!.amount.raw)
  expect(least).toBe((expected * 9_900n) / 10_000n)
  await base.sendToken(payer, 'USDC', order.deposit, order.required)
  await untilStatus(client, order.id, 'COMPLETED')
  await expect.poll(() => balance(base, null, recipient)).toBeGreaterThanOrEqual(expected)
  expect(await balance(base, null, order.deposit)).toBe(0n)
  await until(() => books(order.id))
})

test('behavior: two other tokens are quoted; money in either fixes it, and the settlement asset stays payable', async () => {
  const { base } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(process)
  const first = await checkout(client, { amount: '10', fiat_unit: 'usd' }, { source: at(8453, base.token('DAI')) })
  const second = await client.ask('requestPayment', {
    ...first.path,
    body: { source: { currency: at(8453, base.token('USDT')), payment_rail: 'CRYPTO' } },
  })
  expect(second.data.funding?.required_amount.raw).not.toBe(first.required.toString())
  const again = await client.ask('requestPayment', {
    ...first.path,
    body: { source: { currency: at(8453, base.token('DAI')), payment_rail: 'CRYPTO' } },
  })
  expect(again.data.funding?.required_amount.raw).toBe(first.required.toString())
  await client.ask('requestPayment', {
    ...first.path,
    body: { source: { currency: at(8453, base.token('USDT')), payment_rail: 'CRYPTO' } },
  })
  await base.sendToken(payer, 'DAI', first.deposit, first.required / 2n)
  const part = await untilStatus(client, first.id, 'PARTIAL_PAYMENT')
  expect(part.payment?.input?.currency.symbol).toBe('DAI')
  await client.refused('requestPayment', 409, {
    ...first.path,
    body: { source: { currency: at(8453, base.token('USDT')), payment_rail: 'CRYPTO' } },
  })
  await base.sendToken(payer, 'DAI', first.deposit, first.required - first.required / 2n)
  await untilStatus(client, first.id, 'COMPLETED')
  await expectYield(first.id, base.token('USDC'), await balance(base, base.token('USDC'), merchant.recipient), usd('10'))
})

test('behavior: a missing route is reported', async () => {
  const { base, ethereum } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(process)
  const created = await client.ask('createOrder', { body: { mode: 'SALE', amount: '10', fiat_unit: 'usd' } })
  const ask = (currency: object) =>
    client.refused('requestPayment', 422, { params: { order_id: created.id }, body: { source: { currency, payment_rail: 'CRYPTO' } } })
  expect((await ask(at(1, ethereum.token('DAI')))).message).toMatch(/no route/i)
  expect((await ask(at(30000000000001, 'So11111111111111111111111111111111111111112'))).message).toMatch(/not available here/)
  const huge = await client.ask('createOrder', { body: { mode: 'SALE', amount: '9000000', fiat_unit: 'usd' } })
  const refused = await client.refused('requestPayment', 422, {
    params: { order_id: huge.id },
    body: { source: { currency: at(8453, base.token('DAI')), payment_rail: 'CRYPTO' } },
  })
  expect(refused.message).toMatch(/no route/i)
})

test('behavior: the surplus goes back in the currency in which it came', async () => {
  const { base } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(process)
  const back = someone()
  const order = await checkout(client, { amount: '200', fiat_unit: 'usd' }, { source: at(8453, base.token('DAI')), refund_address: back })
  await base.sendToken(payer, 'DAI', order.deposit, order.required + dai('7'))
  const done = await untilOrder(client, order.id, ({ payment }) => payment?.refunds?.[0]?.state === 'confirmed')
  expect(done.status).toBe('COMPLETED')
  expect(done.payment?.surplus?.raw).toBe(dai('7').toString())
  const returned = await balance(base, base.token('DAI'), back)
  expect(returned).toBeGreaterThan(dai('6'))
  expect(returned).toBeLessThanOrEqual(dai('7'))
  await expectYield(order.id, base.token('USDC'), await balance(base, base.token('USDC'), merchant.recipient), usd('200'))
  await expect.poll(() => balance(base, base.token('USDC'), order.deposit)).toBe(0n)
  await until(() => books(order.id))
})

test('behavior: a price that moves against the payer loses nothing, and the order settles when the price recovers', async () => {
  const { base } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(process)
  const order = await checkout(client, { amount: '50', fiat_unit: 'usd' }, { source: at(8453, base.token('DAI')) })
  await sell(base, trader, base.token('DAI'), base.token('USDC'), dai('600000'))
  await base.sendToken(payer, 'DAI', order.deposit, order.required)
  const failed = await untilStatus(client, order.id, 'FAILED')
  expect(failed.payment?.refund?.reason).toMatch(/^held: /)
  expect(failed.payment?.held_until).toBeDefined()
  expect(failed.payment?.funding?.transactions).toMatchObject([{ state: 'held' }])
  expect(await balance(base, base.token('DAI'), order.deposit)).toBe(order.required)
  expect(await balance(base, base.token('USDC'), merchant.recipient)).toBe(0n)
  await until(() => books(order.id))

  await sell(base, trader, base.token('USDC'), base.token('DAI'), usd('597000'))
  await stage.database
    .sql`update orders set state = jsonb_set(state, '{failure,at}', to_jsonb((state #>> '{failure,at}')::bigint - 120000)), next_tick = now() where id = ${order.id}`
  await untilStatus(client, order.id, 'COMPLETED')
  await expectYield(order.id, base.token('USDC'), await balance(base, base.token('USDC'), merchant.recipient), usd('50'))
})

test('behavior: money held after a price move is refunded in full', async () => {
  const { base } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(process)
  const order = await checkout(client, { amount: '50', fiat_unit: 'usd' }, { source: at(8453, base.token('DAI')) })
  await sell(base, trader, base.token('DAI'), base.token('USDC'), dai('600000'))
  await base.sendToken(payer, 'DAI', order.deposit, order.required)
  await untilStatus(client, order.id, 'FAILED')
  const back = someone()
  const amount = order.payment.funding!.required_amount.ui
  await client.ask('refundOrder', {
    params: { order_id: order.id },
    body: { amount, recipient: back },
    headers: { 'idempotency-key': order.id },
  })
  await untilStatus(client, order.id, 'REFUNDED')
  expect(await balance(base, base.token('DAI'), back)).toBeGreaterThan(order.required - dai('1'))
  await sell(base, trader, base.token('USDC'), base.token('DAI'), usd('597000'))
  await until(() => books(order.id))
})

test('behavior: late money is priced at arrival: enough settles, too little is a part payment, and the rest is repriced', async () => {
  const { base } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(process)
  const source = at(8453, base.token('DAI'))
  const [good, short] = await Promise.all([
    checkout(client, { amount: '30', fiat_unit: 'usd' }, { source }),
    checkout(client, { amount: '30', fiat_unit: 'usd' }, { source }),
  ])
  await Promise.all([good, short].map(({ id }) => expireUntil(stage, client, id)))
  await base.sendToken(payer, 'DAI', good.deposit, good.required)
  const done = await untilStatus(client, good.id, 'COMPLETED')
  // Each trade moves the price a little, so the money may exceed the new price.
  expect(BigInt(done.payment!.funding!.received_amount.raw)).toBeGreaterThanOrEqual(BigInt(done.payment!.funding!.required_amount.raw))

  await sell(base, trader, base.token('DAI'), base.token('USDC'), dai('600000'))
  await base.sendToken(payer, 'DAI', short.deposit, short.required)
  const part = await untilStatus(client, short.id, 'PARTIAL_PAYMENT')
  const { required_amount, remaining_amount } = part.payment!.funding!
  expect(BigInt(required_amount.raw)).toBeGreaterThan(short.required)
  expect(BigInt(remaining_amount.raw)).toBe(BigInt(required_amount.raw) - short.required)
  expect(Date.parse(part.payment!.expires_at!)).toBeGreaterThan(Date.now())

  await sell(base, trader, base.token('USDC'), base.token('DAI'), usd('597000'))
  // When this quote expires too, the new price is covered by the money already received.
  await expireUntil(stage, client, short.id, 'COMPLETED')
  await until(() => books(good.id, short.id))
})
