import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseUnits } from 'viem'
import { payers } from '../../local/chains/accounts.ts'
import type { Client } from '../support/client/client.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'

let stage: Stage
let process: Process
let client: Client
const at = (symbol: string, chain_id = 8453) => ({ chain_id, address: symbol === 'ETH' ? null : stage.base.token(symbol) })
const quote = (body: Record<string, unknown>) =>
  client.ask('swapQuote', { body: { trade_type: 'EXACT_INPUT', amount: '1000', source: at('USDC'), destination: at('DAI'), ...body } })
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  process = await stage.start()
  client = (await stage.merchant({ fees: { customBps: 60, protocolBps: 25, relayerUsd: '0.05', gasUsd: '0.02' } })).at(process)
})
afterAll(async () => {
  await stage?.close()
})

function sumOf({ input }: NonNullable<Awaited<ReturnType<typeof quote>>['quote']>) {
  const { base, fees, gas, total } = input.breakdown
  const raw = (amount: { raw: string }) => BigInt(amount.raw)
  expect(raw(fees.custom_fee) + raw(fees.protocol_fee) + raw(fees.relayer_fee)).toBe(raw(fees.total_fee))
  expect(raw(base) + raw(fees.total_fee) + raw(gas)).toBe(raw(total))
  expect(input.amount).toEqual(total)
}

test('default: EXACT_INPUT: the input is as requested, and fees and slippage come out of the output', async () => {
  const { result_type, issues, quote: priced } = await quote({ slippage_bps: 50 })
  expect([result_type, issues]).toEqual(['OK', undefined])
  expect(priced).toMatchObject({
    trade_type: 'EXACT_INPUT',
    input: { amount: { raw: '1000000000', ui: '1000' }, currency: { symbol: 'USDC' } },
    output: { currency: { symbol: 'DAI' } },
  })
  sumOf(priced!)
  const out = BigInt(priced!.output.amount.raw)
  expect(out).toBeLessThan(parseUnits('991.4', 18))
  expect(out).toBeGreaterThan(parseUnits('991', 18))
  expect(BigInt(priced!.output.amount_out_minimum.raw)).toBe((out * 9_950n) / 10_000n)
})

test('behavior: EXACT_OUTPUT: the output is as requested, to the last unit, and so is the minimum', async () => {
  const { quote: priced } = await quote({ trade_type: 'EXACT_OUTPUT', amount: '123.456789012345678901'.slice(0, 22) })
  expect(priced!.output.amount.ui).toBe('123.456789012345678901')
  expect(priced!.output.amount_out_minimum).toEqual(priced!.output.amount)
  sumOf(priced!)
})

test('behavior: the fees and the input match those of an order', async () => {
  const order = await client.ask('createOrder', {
    body: { mode: 'SALE', amount: '250', currency: at('USDC'), recipient: payers[3]!.address },
  })
  const { data } = await client.ask('requestPayment', {
    params: { order_id: order.id },
    body: { source: { currency: at('ETH'), payment_rail: 'CRYPTO' } },
  })
  const { quote: priced } = await quote({ source: at('ETH'), destination: at('USDC'), trade_type: 'EXACT_OUTPUT', amount: '250' })
  expect(priced!.input.amount.raw).toBe(data.input?.amount.raw)
  expect(priced!.input.breakdown).toEqual(data.input?.breakdown)
})

test('behavior: two hops, the native coin by each of its names, and the caller’s balance', async () => {
  const sender = payers[0]!.address
  for (const source of [{ chain_id: 8453 }, { chain_id: 8453, address: null }, { chain_id: 8453, address: `0x${'0'.repeat(40)}` }]) {
    const { result_type, quote: priced } = await quote({ source, amount: '1', sender, recipient: payers[1]!.address })
    expect(result_type).toBe('OK')
    expect(priced!.input.currency.address).toBe(`0x${'0'.repeat(40)}`)
    expect(Number(priced!.input.balance!.ui)).toBeGreaterThan(1_000)
  }
  expect((await quote({ source: at('USDT'), sender })).quote!.input.balance!.ui).toBe('100000000')
  expect((await quote({ source: at('USDT') })).quote!.input.balance).toBeUndefined()
})

test('behavior: a missing route and a high impact are reported', async () => {
  expect(await quote({ destination: { chain_id: 1, address: null } })).toEqual({ result_type: 'NO_ROUTE' })
  expect(await quote({ destination: at('USDC') })).toEqual({ result_type: 'NO_ROUTE' })
  expect(await quote({ trade_type: 'EXACT_OUTPUT', amount: '99999999999' })).toEqual({ result_type: 'NO_ROUTE' })
  // A pool's fee is rounded up, so it leaves nothing of the smallest unit.
  expect(await quote({ amount: '0.000001' })).toEqual({ result_type: 'NO_ROUTE' })
  const high = await quote({ amount: '1000000' })
  expect(high).toMatchObject({ result_type: 'HIGH_IMPACT', issues: { price_impact_warning: { threshold: 5 } } })
  expect(high.issues!.price_impact_warning!.impact).toBeGreaterThan(8)
  expect(high.issues!.price_impact_warning!.impact).toBeLessThan(10)
  sumOf(high.quote!)
})

test('error: unknown currencies, invalid amounts and stale prices are refused', async () => {
  const refused = (status: number, body: Record<string, unknown>) =>
    client.refused('swapQuote', status, {
      body: { trade_type: 'EXACT_INPUT', amount: '1', source: at('USDC'), destination: at('DAI'), ...body },
    })
  await refused(422, { source: { chain_id: 30000000000001, address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' } })
  await refused(422, { destination: { chain_id: 8453, address: `0x${'12'.repeat(20)}` } })
  await refused(422, { source: { chain_id: 10 } })
  await refused(400, { source: { chain_id: 5 } })
  await refused(422, { amount: '0' })
  await refused(422, { amount: '0.0000001' })
  await refused(422, { amount: '0.01' })
  await refused(422, { sender: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' })
  await refused(400, { slippage_bps: 5_001 })
  await refused(400, { trade_type: 'EXACT' })
  stage.prices.set('dai', { usd: '1', ageMs: 61_000 })
  try {
    await expect.poll(() => refused(503, {}).then(() => true)).toBe(true)
  } finally {
    stage.prices.set('dai', { usd: '1' })
  }
})
