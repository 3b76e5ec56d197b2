import { parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Order } from '../../src/wire/order.ts'
import { checkout, currencyOf, untilStatus, type Checkout } from '../support/orders/payments.ts'
import { until } from '../support/wait.ts'
import { complete, encoded, sign } from '../incoming/x402/support.ts'
import type { Random } from '../support/random.ts'
import { askAgain } from './ask-again.ts'
import { bitcoinPayments } from './bitcoin-paying.ts'
import { solanaPayments } from './solana-paying.ts'
import { honestPayers, type Wallet } from './wallets.ts'
import type { CampaignChain, World } from './world.ts'

/** The payer has done everything, and `ends` describes the order once all work has finished. */
export interface Paid {
  readonly orderId: string
  readonly ends: (order: Order) => boolean
}

/** Calls `sends` right before the last transfer or signature: from then on the payer waits for COMPLETED. */
export type Pay = (world: World, random: Random, sends: () => void) => Promise<Paid>

const baseId = 8453

const completed = ({ status }: Order): boolean => status === 'COMPLETED'
const someone = (): string => privateKeyToAddress(generatePrivateKey()).toLowerCase()
const dollars = (random: Random): string => `${random.int(6, 90)}.${String(random.int(0, 99)).padStart(2, '0')}`
const usdc = (ui: string): bigint => parseUnits(ui, 6)
const wallet = ({ wallets }: CampaignChain, random: Random): Wallet => random.pick(wallets)
const stateOf = (order: Order, symbol: string, chainId: number) =>
  order.payment?.funding?.transactions.find((transaction) => transaction.currency.symbol === symbol && transaction.chain_id === chainId)
    ?.state

const madeOnBase = <Made extends Order | Checkout>(make: () => Promise<Made>): Promise<Made> =>
  askAgain(async () => {
    const made = await make()
    const { fulfillment } = 'created' in made ? made.created : made
    return fulfillment.asset.chain_id === baseId ? made : undefined
  })

const open = (
  world: World,
  random: Random,
  more: Parameters<typeof checkout>[2] = {},
  body: Record<string, unknown> = {},
): Promise<Checkout> => madeOnBase(() => checkout(world.merchant.client, { amount: dollars(random), fiat_unit: 'usd', ...body }, more))

async function payExactly({ base }: World, random: Random, { deposit, required }: Checkout, sends: () => void): Promise<void> {
  sends()
  await wallet(base, random).pay(base.token('USDC'), deposit, required)
}

/** Every way to pay, correct and incorrect. A new way is a new entry. */
export const payments: Readonly<Record<string, Pay>> = {
  'to the address': async (world, random, sends) => {
    const order = await open(world, random)
    await payExactly(world, random, order, sends)
    return { orderId: order.id, ends: completed }
  },

  'in parts': async (world, random, sends) => {
    const order = await open(world, random)
    const first = order.required / BigInt(random.int(2, 6))
    const payer = wallet(world.base, random)
    for (const part of [first, 1n]) await payer.pay(world.base.token('USDC'), order.deposit, part)
    sends()
    await payer.pay(world.base.token('USDC'), order.deposit, order.required - first - 1n)
    return { orderId: order.id, ends: completed }
  },

  'too much, with an address for the rest': async (world, random, sends) => {
    const order = await open(world, random, { refund_address: someone() })
    const surplus = usdc(dollars(random))
    sends()
    await wallet(world.base, random).pay(world.base.token('USDC'), order.deposit, order.required + surplus)
    return {
      orderId: order.id,
      ends: (order) => completed(order) && order.payment?.refunds?.length === 1 && order.payment.refunds[0]?.state === 'confirmed',
    }
  },

  'too much, with nowhere to send the rest': async (world, random, sends) => {
    const order = await open(world, random)
    const surplus = usdc(dollars(random))
    sends()
    await wallet(world.base, random).pay(world.base.token('USDC'), order.deposit, order.required + surplus)
    return { orderId: order.id, ends: (order) => completed(order) && order.payment?.surplus?.raw === surplus.toString() }
  },

  'in another token': async (world, random, sends) => {
    const token = world.base.token('DAI')
    const order = await open(world, random, { source: { chain_id: baseId, address: token } })
    sends()
    await wallet(world.base, random).pay(token, order.deposit, order.required)
    return { orderId: order.id, ends: completed }
  },

  'in the native coin': async (world, random, sends) => {
    const order = await open(world, random, { source: { chain_id: baseId, address: null } })
    sends()
    await wallet(world.base, random).pay(null, order.deposit, order.required)
    return { orderId: order.id, ends: completed }
  },

  'first in the wrong token': async (world, random, sends) => {
    const order = await open(world, random)
    await wallet(world.base, random).pay(world.base.token('USDT'), order.deposit, usdc(dollars(random)))
    await payExactly(world, random, order, sends)
    return { orderId: order.id, ends: (order) => completed(order) && stateOf(order, 'USDT', baseId) === 'held' }
  },

  'first on the wrong chain': async (world, random, sends) => {
    const order = await open(world, random)
    await wallet(world.ethereum, random).pay(world.ethereum.token('USDC'), order.deposit, order.required)
    await payExactly(world, random, order, sends)
    return { orderId: order.id, ends: (order) => completed(order) && stateOf(order, 'USDC', 1) === 'held' }
  },

  late: async (world, random, sends) => {
    const order = await open(world, random)
    await world.expire(order.id)
    await untilStatus(world.merchant.client, order.id, 'EXPIRED', 60_000)
    await payExactly(world, random, order, sends)
    return { orderId: order.id, ends: completed }
  },

  'by signature': async (world, random, sends) => {
    const order = await world.merchant.client.ask('createOrder', { body: { mode: 'SALE', amount: dollars(random), fiat_unit: 'usd' } })
    const { baseUrl } = world.merchant.client
    const offer = await until(async () => (await complete(baseUrl, order.id)).required?.accepts[0], { timeout: 60_000 })
    sends()
    const header = encoded(await sign(offer, { payer: random.pick(honestPayers) }))
    await until(async () => (await complete(baseUrl, order.id, header)).status === 200, { timeout: 60_000, every: 100 })
    return { orderId: order.id, ends: completed }
  },

  'of an invoice': async (world, random, sends) => {
    const { client } = world.merchant
    const order = await madeOnBase(async () => {
      const invoice = await client.ask('createInvoice', {
        body: {
          from: { email: 'billing@northwind.example', name: 'Northwind Coffee' },
          recipient: { email: 'accounts@harbour.example', name: 'Harbour Studio' },
          invoice: { no: `NW-${random.int(1, 99_999)}`, date: '2026-05-12', due_date: '2026-05-26' },
          items: [{ name: 'Coffee', quantity: '2', unitPrice: dollars(random) }],
        },
      })
      return client.ask('getOrder', { params: { order_id: invoice.order_id! } })
    })
    const params = { order_id: order.id }
    const { data } = await client.ask('requestPayment', {
      params,
      body: { source: { currency: currencyOf(order), payment_rail: 'CRYPTO' } },
    })
    const [step] = data.steps
    if (step?.kind !== 'deposit') throw new Error('no deposit step')
    sends()
    await wallet(world.base, random).pay(world.base.token('USDC'), step.data.deposit_address, BigInt(step.data.amount))
    return { orderId: order.id, ends: completed }
  },

  'by card': async (world, random, sends) => {
    const { client } = world.merchant
    const order = await madeOnBase(() =>
      client.ask('createOrder', {
        body: { mode: 'SALE', amount: dollars(random), fiat_unit: 'usd', settings: { card_payments: true } },
      }),
    )
    const { data } = await client.ask('requestPayment', {
      params: { order_id: order.id },
      body: { source: { currency: currencyOf(order), payment_rail: 'FIAT' } },
    })
    const [step] = data.steps
    if (step?.kind !== 'stripe_onramp') throw new Error('no card step')
    sends()
    await world.cards.press(step.data.hosted_url, 'approve')
    return { orderId: order.id, ends: completed }
  },

  'in part, and sent back by the merchant': async (world, random) => {
    const { client } = world.merchant
    const order = await open(world, random)
    await wallet(world.base, random).pay(world.base.token('USDC'), order.deposit, order.required / 2n)
    const part = await untilStatus(client, order.id, 'PARTIAL_PAYMENT', 60_000)
    await client.ask('refundOrder', {
      ...order.path,
      body: { amount: part.payment!.funding!.received_amount.ui, recipient: someone() },
      headers: { 'idempotency-key': order.id },
    })
    return { orderId: order.id, ends: ({ status }) => status === 'REFUNDED' }
  },

  'not at all': async (world, random) => {
    const order = await open(world, random)
    return {
      orderId: order.id,
      ends: (order) => order.payment?.funding?.received_amount.raw === '0' && order.payment.funding.transactions.length === 0,
    }
  },

  'after dust of a stranger': async (world, random, sends) => {
    const order = await open(world, random)
    await world.hostile.wallet.pay(world.base.token('DAI'), order.deposit, BigInt(random.int(1, 1_000)))
    await payExactly(world, random, order, sends)
    return { orderId: order.id, ends: (order) => completed(order) && stateOf(order, 'DAI', baseId) === 'held' }
  },

  'in front of the page': async (world, random, sends) => {
    const order = await open(world, random)
    await world.pages.at(order.id, order.created.hosted_url)
    await payExactly(world, random, order, sends)
    return { orderId: order.id, ends: completed }
  },

  ...bitcoinPayments,
  ...solanaPayments,
}
