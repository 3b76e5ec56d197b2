import { endpoints, paymentMethodsV2 } from '../../src/wire/endpoints.ts'
import type { PaymentMethod } from '../../src/wire/payment-methods.ts'
import { takesAuthorization } from '../domain/decide.ts'
import type { Order } from '../domain/order.ts'
import { funding } from '../domain/funding.ts'
import { ApiError, notFound } from '../http/ApiError.ts'
import type { Route } from '../http/route.ts'
import { payerCountry } from '../http/country.ts'
import { cardFiat, cardMinimum, whyNoCard } from '../jobs/cards.ts'
import type { Engine } from '../jobs/engine.ts'
import { orderOf } from '../store/orders.ts'
import { openOffers } from '../x402/offers.ts'

type Method = (order: Order, engine: Engine, country: string | undefined) => PaymentMethod

const partial = 'Part of this order is already paid. The rest can be sent to the same address.'

const wallet: Method = (order, engine) => {
  const method = 'WALLET'
  if (order.status === 'PARTIAL_PAYMENT') return { method, available: false, reason: partial }
  const now = engine.clock()
  if (openOffers(engine, order, now).length > 0) return { method, available: true }
  const because = (reason: string): PaymentMethod => ({ method, available: false, reason })
  if (order.status === 'EXPIRED' || now >= order.expiresAt) return because('The price has run out. Get a new one first.')
  if (!takesAuthorization(order, now)) return because('A payment for this order is on its way.')
  return because(`${order.terms.asset.symbol} cannot be paid with one signature. Send it to an address instead.`)
}

const depositAddress: Method = () => ({ method: 'DEPOSIT_ADDRESS', available: true })

const card: Method = (order, engine, country) => {
  const reason = whyNoCard(engine, order, country)
  return {
    method: 'CARD',
    available: reason === undefined,
    minimum_amount: { amount: cardMinimum, unit: cardFiat(order).toUpperCase() },
    reason,
  }
}

/** Every way to pay, in the order in which they are offered. */
const methods: readonly Method[] = [wallet, depositAddress, card]

const isPayable = (order: Order): boolean => {
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
    case 'PARTIAL_PAYMENT':
      return true
    case 'EXPIRED':
      return funding(order).received === 0n
    default:
      return false
  }
}

export const paymentMethods = (route: Route, routeV2: Route, engine: Engine): void => {
  const list = async (organizationId: string, id: string) => {
    const order = await orderOf(engine.sql, organizationId, id)
    if (!order) throw notFound('order')
    if (!isPayable(order)) throw new ApiError(422, `This order cannot take a payment any more: it is ${order.status}.`)
    return { body: { methods: methods.map((method) => method(order, engine, payerCountry())) }, headers: { 'cache-control': 'no-store' } }
  }
  route(endpoints.paymentMethods, ({ organizationId, params }) => list(organizationId, params.order_id))
  routeV2(paymentMethodsV2, ({ organizationId, params }) => list(organizationId, params.payorder_id))
}
