import type { Order } from '../../src/wire/order.ts'
import { solanaFacts } from '../../server/chains/presets/solana.ts'
import { untilStatus, type Checkout } from '../support/orders/payments.ts'
import type { Random } from '../support/random.ts'
import { newAddress } from '../support/service/solana-stage.ts'
import type { Pay } from './paying.ts'
import { openOnSolana, usdcOnSolana } from './solana-order.ts'
import type { World } from './world.ts'

const patienceMs = 60_000

const completed = ({ status }: Order): boolean => status === 'COMPLETED'
const isRefunded = (order: Order): boolean =>
  completed(order) && order.payment?.refunds?.length === 1 && order.payment.refunds[0]?.state === 'confirmed'
const dollars = (random: Random): string => `${random.int(6, 90)}.${String(random.int(0, 99)).padStart(2, '0')}`
/** Pays for the account that the refund opens, and something is left. */
const surplusInUsdc = (random: Random): bigint => BigInt(random.int(2_000_000, 20_000_000))

const open = ({ merchant }: World, random: Random, token: string | null, more: { readonly refund_address?: string } = {}) =>
  openOnSolana(merchant.client, dollars(random), token, more)

async function payInParts({ solana: { payer } }: World, { deposit, required }: Checkout, random: Random, sends: () => void): Promise<void> {
  const first = required / BigInt(random.int(2, 6))
  for (const part of [first, 1n]) await payer.pay(usdcOnSolana, deposit, part)
  sends()
  await payer.pay(usdcOnSolana, deposit, required - first - 1n)
}

/** Every way to pay on Solana, correct and incorrect. A new way is a new entry. */
export const solanaPayments: Readonly<Record<string, Pay>> = {
  'in USDC on Solana': async (world, random, sends) => {
    const order = await open(world, random, usdcOnSolana)
    sends()
    await world.solana.payer.pay(usdcOnSolana, order.deposit, order.required)
    return { orderId: order.id, ends: completed }
  },

  'in USDC on Solana, in parts': async (world, random, sends) => {
    const order = await open(world, random, usdcOnSolana)
    await payInParts(world, order, random, sends)
    return { orderId: order.id, ends: completed }
  },

  'in USDC on Solana, too little and later the rest': async (world, random, sends) => {
    const { solana, merchant } = world
    const order = await open(world, random, usdcOnSolana)
    await solana.payer.pay(usdcOnSolana, order.deposit, order.required - BigInt(random.int(1, 5_000_000)))
    const part = await untilStatus(merchant.client, order.id, 'PARTIAL_PAYMENT', patienceMs)
    sends()
    await solana.payer.pay(usdcOnSolana, order.deposit, BigInt(part.payment!.funding!.remaining_amount.raw))
    return { orderId: order.id, ends: completed }
  },

  'in USDC on Solana, too much': async (world, random, sends) => {
    const order = await open(world, random, usdcOnSolana, { refund_address: newAddress() })
    sends()
    await world.solana.payer.pay(usdcOnSolana, order.deposit, order.required + surplusInUsdc(random))
    return { orderId: order.id, ends: isRefunded }
  },

  'in USDC on Solana, late': async (world, random, sends) => {
    const order = await open(world, random, usdcOnSolana)
    await world.expire(order.id)
    await untilStatus(world.merchant.client, order.id, 'EXPIRED', patienceMs)
    sends()
    await world.solana.payer.pay(usdcOnSolana, order.deposit, order.required)
    return { orderId: order.id, ends: completed }
  },

  'in SOL': async (world, random, sends) => {
    const order = await open(world, random, null)
    sends()
    await world.solana.payer.pay(null, order.deposit, order.required)
    return { orderId: order.id, ends: completed }
  },

  'in SOL, too much': async (world, random, sends) => {
    const order = await open(world, random, null, { refund_address: newAddress() })
    sends()
    await world.solana.payer.pay(null, order.deposit, order.required + BigInt(random.int(10, 50)) * solanaFacts.leastCoins)
    return { orderId: order.id, ends: isRefunded }
  },

  'in SOL, with dust too much': async (world, random, sends) => {
    const order = await open(world, random, null, { refund_address: newAddress() })
    const dust = random.int(1, Number(solanaFacts.leastCoins) - 1)
    sends()
    await world.solana.payer.pay(null, order.deposit, order.required + BigInt(dust))
    return { orderId: order.id, ends: (order) => completed(order) && order.payment?.surplus?.raw === String(dust) }
  },
}
