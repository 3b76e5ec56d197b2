import { kill } from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, untilStatus } from '../support/orders/payments.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'

let stage: Stage
let running: Process
let client: Client
const rich = payers[0]!.address
const poor = `0x${'ab'.repeat(20)}`
const evm = (address: string, ...chain_ids: number[]) => ({ address, chain_type: 'EVM', chain_ids })
const order = (amount = '42.50') => client.ask('createOrder', { body: { mode: 'SALE', amount, fiat_unit: 'usd' } })
const ask = async (order_id: string, filter: object) =>
  (await client.ask('orderQuotes', { params: { order_id }, body: { filter } })).options
const symbols = (options: Awaited<ReturnType<typeof ask>>) => options.map(({ input }) => input.currency.symbol)
beforeAll(async () => {
  stage = await startStage()
  running = await stage.start()
  client = (await stage.merchant()).at(running)
})
afterAll(async () => {
  await stage?.close()
})

test('default: every source with a route, the cheapest first, each with its balance', async () => {
  const { id } = await order()
  const options = await ask(id, { wallet: evm(rich, 8453, 1) })
  expect(symbols(options)[0]).toBe('USDC')
  expect(symbols(options).sort()).toEqual(['DAI', 'ETH', 'USDC', 'USDT', 'WETH'])
  for (const { input, output } of options) {
    expect(output.amount.raw).toBe('42500000')
    expect(BigInt(input.balance!.raw)).toBeGreaterThan(BigInt(input.amount.raw))
  }
  const quoted = options.find(({ input }) => input.currency.symbol === 'DAI')!.input
  const { data } = await client.ask('requestPayment', {
    params: { order_id: id },
    body: { source: { currency: { chain_id: 8453, address: quoted.currency.address }, payment_rail: 'CRYPTO' } },
  })
  expect(data.input!.amount).toEqual(quoted.amount)
})

test('behavior: a search for an order states the network fee of each currency that can pay it, as the list of methods does', async () => {
  const { id } = await order()
  const { currencies } = await client.ask('searchCurrencies', { query: { q: 'usdc', order_id: id } })
  const { methods } = await client.ask('paymentMethods', { params: { order_id: id } })
  const stated = methods.find(({ method }) => method === 'DEPOSIT_ADDRESS')?.network_fee
  const same = currencies.find(({ chain_id, payable }) => payable && chain_id === stated?.chain_id)
  expect(same?.network_fee).toMatchObject({ unit: 'USD', chain_id: stated?.chain_id })
  for (const { payable, fiat_unit_usd } of currencies) expect(fiat_unit_usd).toBe(payable ? '1' : undefined)
  for (const { chain_id, payable, network_fee } of currencies) expect(network_fee?.chain_id).toBe(payable ? chain_id : undefined)
  for (const { payable, estimated_duration_seconds } of currencies) expect(estimated_duration_seconds !== undefined).toBe(payable)
  const plain = await client.ask('searchCurrencies', { query: { q: 'usdc' } })
  for (const currency of plain.currencies) expect(currency).not.toHaveProperty('network_fee')
})

test('behavior: each option states the network fee of a transfer, and what costs least with it comes first', async () => {
  const { id } = await order()
  const options = await ask(id, { wallet: evm(rich, 8453) })
  for (const { network_fee } of options) {
    expect(network_fee).toMatchObject({ unit: 'USD', chain_id: 8453 })
    expect(network_fee!.amount).toBeGreaterThan(0)
  }
  const costs = options.map(({ input, network_fee }) => input.amount.value_usd + network_fee!.amount)
  expect(costs).toEqual(costs.toSorted((a, b) => a - b))
  // Which of two that cost the same was priced first says nothing.
  for (let round = 0; round < 3; round++) expect(symbols(await ask(id, { wallet: evm(rich, 8453) }))).toEqual(symbols(options))
})

test('behavior: a wallet pays orders in what takes no signature, and the network fee is stated', async () => {
  const inTether = (await stage.merchant({ settlement: { address: stage.base.token('USDT') } })).at(running)
  const { id } = await inTether.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
  const { methods } = await inTether.ask('paymentMethods', { params: { order_id: id } })
  expect(methods[0]).toMatchObject({ method: 'WALLET', available: true, network_fee: { unit: 'USD', chain_id: 8453 } })
  const signed = await client.ask('paymentMethods', { params: { order_id: (await order()).id } })
  expect(signed.methods[0]).toEqual({ method: 'WALLET', available: true })
})

test('behavior: sources that the wallet can afford come first', async () => {
  const { base } = stage
  await base.sendToken(payers[1]!, 'DAI', poor, 100n * 10n ** 18n)
  await base.sendToken(payers[1]!, 'USDC', poor, 10n ** 6n)
  const { id } = await order()
  const options = await ask(id, { wallet: evm(poor, 8453) })
  expect(symbols(options).slice(0, 2)).toEqual(['DAI', 'USDC'])
  expect(options).toHaveLength(5)
  expect(symbols(await ask(id, { wallet: evm(poor, 8453), min_balance_usd: 50 }))).toEqual(['DAI'])
  expect(symbols(await ask(id, { wallet: evm(poor, 8453), limit: 1 }))).toEqual(['DAI'])
  const sources = [
    { chain_id: 8453, address: base.token('USDT') },
    { chain_id: 8453, address: null },
  ]
  expect(symbols(await ask(id, { wallet: evm(rich, 8453), sources })).sort()).toEqual(['ETH', 'USDT'])
})

test('behavior: no source on another chain, and only the paid source once money came in it', async () => {
  const { base } = stage
  const { id } = await order()
  expect(await ask(id, { wallet: evm(rich, 1) })).toEqual([])
  const part = await checkout(client, { amount: '10', fiat_unit: 'usd' }, { source: { chain_id: 8453, address: base.token('DAI') } })
  await base.sendToken(payers[2]!, 'DAI', part.deposit, part.required / 2n)
  await untilStatus(client, part.id, 'PARTIAL_PAYMENT')
  expect(symbols(await ask(part.id, { wallet: evm(rich, 8453) }))).toEqual(['DAI'])
})

test('error: unknown orders, invalid wallets, stale prices and a silent chain are refused', async () => {
  const { id } = await order()
  const refused = (status: number, filter: object, order_id = id) =>
    client.refused('orderQuotes', status, { params: { order_id }, body: { filter } })
  await refused(404, { wallet: evm(rich, 8453) }, `ord_${'x'.repeat(22)}`)
  await refused(422, {
    wallet: { address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', chain_type: 'SOL', chain_ids: [30000000000001] },
  })
  await refused(422, { wallet: evm('0x12', 8453) })
  await refused(400, { wallet: evm(rich) })
  await refused(400, { wallet: evm(rich, 8453), limit: 51 })
  stage.prices.set('usdc', { usd: '1', ageMs: 61_000 })
  await expect
    .poll(() =>
      refused(503, { wallet: evm(rich, 8453) }).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  stage.prices.set('usdc', { usd: '1' })
  kill(stage.base.anvil.pid, 'SIGSTOP')
  try {
    await refused(502, { wallet: evm(rich, 8453) })
  } finally {
    kill(stage.base.anvil.pid, 'SIGCONT')
  }
})
