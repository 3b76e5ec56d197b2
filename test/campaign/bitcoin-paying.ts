import { randomBytes } from 'node:crypto'
import type { Order } from '../../src/wire/order.ts'
import { untilOrder, untilStatus, type Checkout } from '../support/orders/payments.ts'
import type { Random } from '../support/random.ts'
import { taprootAccount } from '../support/wallets/bitcoin-wallet.ts'
import { until } from '../support/wait.ts'
import { openInBitcoin } from './bitcoin-order.ts'
import type { BitcoinPayment } from './bitcoin-payer.ts'
import type { Pay } from './paying.ts'
import type { World } from './world.ts'

const patienceMs = 60_000
const blocksWaited = 3

const completed = ({ status }: Order): boolean => status === 'COMPLETED'
const transfersOf = ({ payment }: Order) => payment?.funding?.transactions ?? []
const isSeen =
  (txid: string) =>
  (order: Order): boolean =>
    transfersOf(order).some(({ tx_hash }) => tx_hash === txid)
const isUnpaid = (order: Order): boolean =>
  (order.status === 'AWAITING_PAYMENT' || order.status === 'EXPIRED') &&
  transfersOf(order).length === 0 &&
  order.payment?.funding?.received_amount.raw === '0'
const someone = (): string => taprootAccount(`refund ${randomBytes(8).toString('hex')}`).address
/** Amounts that stay payable while the network's fee is twenty times the usual one. */
const dollars = (random: Random): string => `${random.int(60, 150)}.${String(random.int(0, 99)).padStart(2, '0')}`

const open = ({ merchant }: World, random: Random, more: { readonly refund_address?: string } = {}): Promise<Checkout> =>
  openInBitcoin(merchant.client, dollars(random), more)

/** Pays without any block that includes it, and resolves once the order shows it. */
async function payUnmined({ bitcoin: { payer, miner }, merchant }: World, { id, deposit, required }: Checkout) {
  const payment = payer.prepare(deposit, required)
  const release = miner.withhold(payment.txid)
  await payer.send(payment)
  await untilOrder(merchant.client, id, isSeen(payment.txid), patienceMs)
  return { payment, release }
}

async function blocksPass({ bitcoin: { miner } }: World, payment: BitcoinPayment): Promise<void> {
  const from = miner.mined()
  await until(() => miner.mined() >= from + blocksWaited, { timeout: patienceMs, what: `blocks pass while ${payment.txid} waits` })
}

/** Every way to pay in bitcoin, correct and incorrect. A new way is a new entry. */
export const bitcoinPayments: Readonly<Record<string, Pay>> = {
  'in bitcoin': async (world, random, sends) => {
    const order = await open(world, random)
    sends()
    await world.bitcoin.payer.pay(order.deposit, order.required)
    return { orderId: order.id, ends: completed }
  },

  'in bitcoin, in parts': async (world, random, sends) => {
    const order = await open(world, random)
    const first = order.required / BigInt(random.int(2, 6))
    const second = BigInt(random.int(600, 5_000))
    for (const part of [first, second]) await world.bitcoin.payer.pay(order.deposit, part)
    sends()
    await world.bitcoin.payer.pay(order.deposit, order.required - first - second)
    return { orderId: order.id, ends: completed }
  },

  'in bitcoin, too much': async (world, random, sends) => {
    const order = await open(world, random, { refund_address: someone() })
    sends()
    await world.bitcoin.payer.pay(order.deposit, order.required + BigInt(random.int(60_000, 200_000)))
    return {
      orderId: order.id,
      ends: (order) => completed(order) && order.payment?.refunds?.length === 1 && order.payment.refunds[0]?.state === 'confirmed',
    }
  },

  'in bitcoin, with dust too much': async (world, random, sends) => {
    const order = await open(world, random, { refund_address: someone() })
    const dust = random.int(1, 290)
    sends()
    await world.bitcoin.payer.pay(order.deposit, order.required + BigInt(dust))
    return { orderId: order.id, ends: (order) => completed(order) && order.payment?.surplus?.raw === String(dust) }
  },

  'in bitcoin, late': async (world, random, sends) => {
    const order = await open(world, random)
    await world.expire(order.id)
    await untilStatus(world.merchant.client, order.id, 'EXPIRED', patienceMs)
    sends()
    await world.bitcoin.payer.pay(order.deposit, order.required)
    return { orderId: order.id, ends: completed }
  },

  'in bitcoin, and left in the mempool': async (world, random, sends) => {
    const order = await open(world, random)
    const { payment, release } = await payUnmined(world, order)
    await blocksPass(world, payment)
    const { status } = await world.merchant.client.ask('getOrder', order.path)
    if (status !== 'AWAITING_CONFIRMATION') throw new Error(`${order.id} is ${status} while its payment is in no block`)
    sends()
    release()
    return { orderId: order.id, ends: completed }
  },

  'in bitcoin, with a raised fee': async (world, random, sends) => {
    const order = await open(world, random)
    const { payment } = await payUnmined(world, order)
    sends()
    const raised = await world.bitcoin.payer.replace(payment, order.deposit)
    return {
      orderId: order.id,
      ends: (order) => completed(order) && transfersOf(order).length === 1 && isSeen(raised.txid)(order),
    }
  },

  'in bitcoin, taken back and paid again': async (world, random, sends) => {
    const order = await open(world, random)
    const { payment } = await payUnmined(world, order)
    await world.bitcoin.payer.replace(payment, null)
    sends()
    await world.bitcoin.payer.pay(order.deposit, order.required)
    return { orderId: order.id, ends: (order) => completed(order) && !isSeen(payment.txid)(order) }
  },

  'in bitcoin, and taken back': async (world, random) => {
    const order = await open(world, random)
    const { payment } = await payUnmined(world, order)
    await world.bitcoin.payer.replace(payment, null)
    return { orderId: order.id, ends: isUnpaid }
  },
}
