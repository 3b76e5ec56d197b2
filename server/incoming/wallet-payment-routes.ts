import { endpoints } from '../../src/wire/endpoints.ts'
import { spend } from '../http/access.ts'
import { ApiError, invalid, notFound } from '../http/api-error.ts'
import { limiter } from '../http/limits.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { sameAsset } from '../orders/model/asset.ts'
import { takesAuthorization } from '../orders/model/choosing.ts'
import { depositOn } from '../orders/model/deposits.ts'
import { quoteInForce } from '../orders/model/funding.ts'
import { orderById } from '../orders/order-queries.ts'
import { parseAsset, payableAddress } from '../orders/payable-address.ts'
import { tokenOf } from '../orders/quoting.ts'
import { type HandedOut, PaymentHandedOut, walletPaymentFor } from './wallet-payments.ts'
import type { X402 } from './x402/x402.ts'

const askMs = 10_000

/** Builds what a wallet signs and sends for an order whose instructions the payer has asked for. */
export function walletPayment(route: Route, engine: Engine, x402: Pick<X402, 'isTaken' | 'offerTo'>): void {
  // Each request reads the chain, so each order has its own rate limit.
  const perOrder = limiter({ perSecond: 1, burst: 60 }, () => performance.now())

  route(endpoints.walletTransaction, async ({ params, body }) => {
    const order = await orderById(engine.sql, params.order_id)
    if (!order) throw notFound('order')
    spend(perOrder, order.id)
    const token = tokenOf(engine, parseAsset({ chain_id: body.chain_id, address: body.token_address }, 'token_address'))
    const chain = token && engine.chains.get(token.chainId)
    if (!token || !chain?.walletPayments)
      throw invalid('chain_id', 'not available here', 'No wallet payments are built for this currency.', {
        problem: 'currency_unavailable',
      })
    const payer = await payableAddress(engine, engine.sql, chain.id, body.payer, 'payer')
    const quote = quoteInForce(order)
    const now = engine.clock()
    if (!takesAuthorization(order, now) || quote.expiresAt <= now || !sameAsset(quote.source, token))
      throw new ApiError(409, `This order cannot be paid this way now: it is ${order.status}. Ask for instructions in this currency first.`)
    const payment = { payer, token, to: depositOn(order, chain.id), amount: quote.input.total }
    const { walletPayments } = chain
    const sponsored = async (): Promise<HandedOut | undefined> => {
      if (await x402.isTaken(order)) throw new PaymentHandedOut('A payment of this order is on its way. This page shows it in a moment.')
      const offer = body.signs_only ? await x402.offerTo(order, token) : undefined
      const sponsor = offer?.extra?.feePayer
      if (!offer || sponsor === undefined || sponsor === payer) return undefined
      const { transaction } = await walletPayments.build({ ...payment, sponsor }, AbortSignal.timeout(askMs))
      return { transaction, offer }
    }
    try {
      const wanted = { orderId: order.id, payment, sponsored }
      const handedOut = await walletPaymentFor(engine.sql, chain, wanted, AbortSignal.timeout(askMs))
      return { body: handedOut, headers: { 'cache-control': 'no-store' } }
    } catch (error) {
      if (error instanceof PaymentHandedOut) throw new ApiError(409, error.message)
      throw error
    }
  })
}
