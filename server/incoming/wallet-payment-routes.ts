import type * as z from 'zod'
import { endpoints } from '../../src/wire/endpoints.ts'
import type { WalletTransactionRequest } from '../../src/wire/wallet-transaction.ts'
import type { WalletPayment, WalletPayments } from '../chains/wallet-payments.ts'
import type { Chain, Token } from '../chains/chain.ts'
import { spend } from '../http/access.ts'
import { ApiError, invalid, notFound } from '../http/api-error.ts'
import { limiter } from '../http/limits.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { sameAsset } from '../orders/model/asset.ts'
import { walletAmounts } from '../orders/model/choosing.ts'
import { depositOn } from '../orders/model/deposits.ts'
import { expectedAtDeposit, quoteInForce } from '../orders/model/funding.ts'
import type { Order } from '../orders/model/order.ts'
import { coinFee, fiatOf } from '../orders/network-fee.ts'
import { orderById } from '../orders/order-queries.ts'
import { parseAsset, payableAddress } from '../orders/payable-address.ts'
import { tokenOf } from '../orders/quoting.ts'
import { type HandedOut, PaymentHandedOut, walletPaymentFor } from './wallet-payments.ts'
import type { X402 } from './x402/x402.ts'

const askMs = 10_000

/** Serves wallets for which the service builds what they sign and send, once the payer has asked for an order's instructions. */
export function walletPayment(route: Route, engine: Engine, x402: Pick<X402, 'accepts' | 'isTaken' | 'offerTo'>): void {
  // Each request reads the chain, so each order has its own rate limit.
  const perOrder = limiter({ perSecond: 1, burst: 60 }, () => performance.now())
  const find = async (id: string, body: Body): Promise<Found> => {
    const order = await orderById(engine.sql, id)
    if (!order) throw notFound('order')
    spend(perOrder, order.id)
    return findPayment(engine, order, body)
  }

  route(endpoints.walletTransaction, async ({ params, body }) => {
    const { order, chain, walletPayments, payment, isWhole } = await find(params.order_id, body)
    const { payer, token } = payment
    const sponsored = async (): Promise<HandedOut | undefined> => {
      if (await x402.isTaken(order)) throw new PaymentHandedOut('A payment of this order is on its way. This page shows it in a moment.')
      const offer = body.signs_only && isWhole ? await x402.offerTo(order, token) : undefined
      const sponsor = offer?.extra?.feePayer
      if (!offer || sponsor === undefined || sponsor === payer) return undefined
      const { transaction } = await walletPayments.build({ ...payment, sponsor }, AbortSignal.timeout(askMs))
      return { transaction, offer }
    }
    const known = (address: string | null) => expectedAtDeposit(order, { ...token, address })
    try {
      const wanted = { orderId: order.id, payment, known, sponsored }
      const handedOut = await walletPaymentFor(engine.sql, chain, wanted, AbortSignal.timeout(askMs))
      return { body: handedOut, headers: { 'cache-control': 'no-store' } }
    } catch (error) {
      if (error instanceof PaymentHandedOut) throw new ApiError(409, error.message)
      throw error
    }
  })

  route(endpoints.walletCost, async ({ params, body }) => {
    const { order, chain, walletPayments, payment, isWhole } = await find(params.order_id, body)
    const headers = { 'cache-control': 'no-store' }
    const offers = body.signs_only && isWhole ? await x402.accepts(order) : []
    const isSponsored = offers.some(({ network, asset }) => network === chain.x402?.network && asset === payment.token.address)
    if (isSponsored) return { body: { network_fee: null, account: null }, headers }
    const { fee, account } = await walletPayments.costOf(payment, AbortSignal.timeout(askMs))
    const fiat = await fiatOf(engine, order)
    const shown = (raw: bigint) => ({ raw: raw.toString(), fiat: coinFee(engine, chain.id, raw, fiat) })
    return { body: { network_fee: shown(fee), account: account === 0n ? null : shown(account) }, headers }
  })
}

type Body = z.output<typeof WalletTransactionRequest>

interface Found {
  readonly order: Order
  readonly chain: Chain
  readonly walletPayments: WalletPayments
  readonly payment: WalletPayment & { readonly token: Token }
  /** The order is paid by this alone. The service pays no fee for less. */
  readonly isWhole: boolean
}

/** Returns what a wallet would pay now. */
async function findPayment(engine: Engine, order: Order, body: Body): Promise<Found> {
  const token = tokenOf(engine, parseAsset({ chain_id: body.chain_id, address: body.token_address }, 'token_address'))
  const chain = token && engine.chains.get(token.chainId)
  if (!token || !chain?.walletPayments)
    throw invalid('chain_id', 'not available here', 'No wallet payments are built for this currency.', {
      problem: 'currency_unavailable',
    })
  const payer = await payableAddress(engine, engine.sql, chain.id, body.payer, 'payer')
  const { whole, rest } = sameAsset(quoteInForce(order).source, token) ? walletAmounts(order, engine.clock()) : {}
  const amounts = [whole, rest].filter((each) => each !== undefined)
  const amount = body.amount === undefined ? amounts[0] : amounts.find((each) => each.toString() === body.amount)
  if (amounts.length === 0)
    throw new ApiError(409, `This order cannot be paid this way now: it is ${order.status}. Ask for instructions in this currency first.`)
  if (amount === undefined) throw new ApiError(409, 'The amount that is due has changed. This page shows it in a moment.')
  const payment = { payer, token, to: depositOn(order, chain.id), amount }
  return { order, chain, walletPayments: chain.walletPayments, payment, isWhole: amount === whole }
}
