// @vitest-environment happy-dom
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { FlowPorts } from '../../src/methods/method.ts'
import { keepTransfer } from '../../src/methods/wallet/asked-transfer.ts'
import { type Holding, isEnough, readHoldings } from '../../src/methods/wallet/holdings.ts'
import { readPaymentRequired } from '../../src/methods/wallet/offers.ts'
import { payBySignature, type Review } from '../../src/methods/wallet/pay-by-signature.ts'
import { runFlow } from '../../src/model/running-flow.ts'
import { pageClient } from '../support/client/page-client.ts'
import * as orders from '../support/orders/orders.ts'

/** What a connected account could pay with, as the service says it. */

const account = '0x1111111111111111111111111111111111111111'
const tether = `0x${'2'.repeat(40)}`
const signal = new AbortController().signal

const option = (symbol: string, address: string | null, due: number, balance: number, chain_id = 8453, fee = 0.02) => ({
  input: {
    amount: { raw: String(due) },
    balance: { raw: String(balance) },
    currency: { chain_id, address, decimals: 6, symbol },
  },
  network_fee: { amount: fee, unit: 'USD', chain_id },
})

const required = btoa(
  JSON.stringify({
    x402Version: 2,
    resource: { url: 'https://pay.example' },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:8453',
        amount: '42500000',
        asset: orders.usdc.address,
        payTo: orders.depositAddress,
        maxTimeoutSeconds: 600,
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
  }),
)
const asked = readPaymentRequired(required)!

function portsWith(answer: () => Response) {
  const fetched = vi.fn(async (_url: unknown, _request?: RequestInit) => answer())
  const api = pageClient({ fetch: fetched, base: 'https://pay.example/v3', key: 'pk_1' })
  const order = { ...orders.pending(), id: `ord_holds_${Math.random()}` }
  return { ports: { api, order: () => order } as never as FlowPorts, fetched, order }
}

const read = async (options: readonly unknown[], chain: number | undefined = 8453): Promise<readonly Holding[]> =>
  readHoldings(portsWith(() => Response.json({ options })).ports, account, asked.offers, chain, signal)

const names = (holdings: readonly Holding[]) => holdings.map(({ due }) => due.currency.symbol)

test('default: one request for all chains of the order; what is enough comes first, and what is signed before what is sent', async () => {
  const { ports, fetched, order } = portsWith(() =>
    Response.json({
      options: [
        option('USDT', tether, 43_000_000, 50_000_000),
        option('USDC', orders.usdc.address!, 42_500_000, 60_000_000),
        option('DAI', `0x${'3'.repeat(40)}`, 43_000_000, 1),
      ],
    }),
  )
  const holdings = await readHoldings(ports, account, asked.offers, 8453, signal)
  expect(names(holdings)).toEqual(['USDC', 'USDT', 'DAI'])
  expect(holdings.map(({ offer }) => offer?.token)).toEqual([orders.usdc.address, undefined, undefined])
  expect(holdings[1]!.fee).toEqual({ amount: 0.02, unit: 'USD', chain_id: 8453 })
  expect(fetched).toHaveBeenCalledOnce()
  const [url, request] = fetched.mock.calls[0]!
  expect(url).toBe(`https://pay.example/v3/orders/${order.id}/quotes`)
  expect(request).toMatchObject({ method: 'POST', headers: { 'X-API-KEY': 'pk_1', 'Content-Type': 'application/json' } })
  expect(JSON.parse(String(request?.body))).toEqual({
    filter: { wallet: { address: account, chain_type: 'EVM', chain_ids: [8453] }, limit: 50 },
  })
})

test('behavior: what costs the same is in the order of the order’s own networks, in whichever order the service answers', async () => {
  const order = orders.pending()
  const [settlement] = order.settlements ?? []
  const { ports } = portsWith(() =>
    Response.json({ options: [option('USDT', tether, 43_000_000, 50_000_000, 1), option('USDT', tether, 43_000_000, 50_000_000)] }),
  )
  const settlements = [8453, 1].map((chain_id) => ({ ...settlement, currency: { ...orders.usdc, chain_id } }))
  const two = { ...ports, order: () => ({ ...order, settlements }) as never }
  const holdings = await readHoldings(two, account, [], 8453, signal)
  expect(holdings.map(({ due }) => due.currency.chain_id)).toEqual([8453, 1])
})

test('default: the cheapest comes first on whichever network, with the fee that its transfer costs', async () => {
  const priced = (...of: Parameters<typeof option>) => {
    const made = option(...of)
    return { ...made, input: { ...made.input, currency: { ...made.input.currency, price_usd: 1 } } }
  }
  const holdings = await read([
    priced('USDT', tether, 43_000_000, 50_000_000, 8453, 1.5),
    priced('DAI', `0x${'3'.repeat(40)}`, 44_000_000, 50_000_000, 1),
    priced('EURC', `0x${'4'.repeat(40)}`, 43_500_000, 50_000_000, 1),
  ])
  expect(names(holdings)).toEqual(['EURC', 'DAI', 'USDT'])
})

test('behavior: a token that cannot pay its own network fee comes after those that can', async () => {
  const holdings = await read([
    option('USDT', tether, 43_000_000, 50_000_000, 1),
    option('ETH', null, 43_000_000, 0, 1),
    option('DAI', `0x${'3'.repeat(40)}`, 44_000_000, 50_000_000),
  ])
  expect(names(holdings)).toEqual(['DAI', 'USDT', 'ETH'])
  expect(holdings[1]).toMatchObject({ lacksCoin: true })
  expect(isEnough(holdings[1]!)).toBe(false)
})

test('error: what is not an option is left out, and a service that refuses or does not answer leaves the rest of the page as it is', async () => {
  const good = option('USDC', orders.usdc.address!, 42_500_000, 60_000_000)
  const bad = [
    null,
    7,
    {},
    { input: {} },
    { input: { ...good.input, amount: { raw: '-1' } } },
    { input: { ...good.input, currency: { decimals: 99 } } },
  ]
  expect(names(await read([...bad, good]))).toEqual(['USDC'])
  for (const answer of [
    () => new Response('', { status: 422 }),
    () => new Response('{'),
    () => Response.json([]),
    () => {
      throw new Error('offline')
    },
  ])
    expect(await readHoldings(portsWith(answer).ports, account, asked.offers, 8453, signal)).toEqual([])
  // One network's fee is not shown for another.
  const [holding] = await read([{ ...good, network_fee: { amount: 1, unit: 'USD', chain_id: 1 } }])
  expect(holding!.fee).toBeUndefined()
})

test('property: in any order of options, nothing that is not enough comes before what is', async () => {
  const any = fc.record({
    due: fc.integer({ min: 1, max: 100 }),
    balance: fc.integer({ min: 0, max: 100 }),
    chain: fc.constantFrom(1, 8453),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(any, { maxLength: 12 }), async (options) => {
      const holdings = await read(
        options.map(({ due, balance, chain }, at) => option(`T${at}`, `0x${at.toString(16).padStart(40, '9')}`, due, balance, chain)),
      )
      const enough = holdings.map(isEnough)
      expect(holdings).toHaveLength(options.length)
      expect(enough).toEqual(enough.toSorted((a, b) => Number(b) - Number(a)))
    }),
  )
})

test('behavior: while a wallet may still send a transfer, none is asked for a signature, on any network', async () => {
  const { ports, order } = portsWith(() => new Response('', { status: 500 }))
  keepTransfer(order.id, { wallet: 'Alpha', from: account, due: { raw: 42_500_000n, currency: orders.usdc }, nonce: '0x0', state: 'asked' })
  const sign = vi.fn()
  const [offer] = asked.offers
  const wallet = { rdns: 'beta', name: 'Beta', provider: { request: vi.fn() }, usedBefore: false }
  const review: Review = {
    wallet,
    connection: { from: account, sign } as never,
    asked,
    holdings: [],
    offer: offer!,
    funds: { raw: offer!.amount, currency: orders.usdc },
    until: 0,
  }
  const flow = runFlow(payBySignature, async () => ports)
  await flow.run({ do: 'sign', review })
  expect(flow.step.value).toMatchObject({ at: 'transfer', step: { at: 'pending' } })
  await flow.run({ do: 'solana', input: { do: 'connect', wallet: {} as never } })
  expect(flow.step.value).toMatchObject({ at: 'transfer', step: { at: 'pending', transfer: { wallet: 'Alpha' } } })
  expect(sign).not.toHaveBeenCalled()
  expect(wallet.provider.request).not.toHaveBeenCalled()
})
