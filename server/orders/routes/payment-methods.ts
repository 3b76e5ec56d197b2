import { chains } from '../../../src/wire/chain.ts'
import { endpoints, paymentMethodsV2 } from '../../../src/wire/endpoints.ts'
import type { PaymentMethod } from '../../../src/wire/payment-methods.ts'
import type { ProblemCode } from '../../../src/wire/problems.ts'
import { takesAuthorization } from '../model/choosing.ts'
import { destinationsOf } from '../model/destination.ts'
import type { Order } from '../model/order.ts'
import { closing, funding } from '../model/funding.ts'
import { ApiError, notFound } from '../../http/api-error.ts'
import type { Route } from '../../http/route.ts'
import { payerCountry } from '../../http/country.ts'
import { cardFiat, cardMinimum, cardRefusal, estimatedTotal } from '../../fiat/cards.ts'
import type { Engine } from '../engine.ts'
import { orderOf } from '../order-queries.ts'
import { openOffers } from '../../incoming/x402/offers.ts'
import { fiatOf, leastTotal, networkFee, type Fiat } from '../network-fee.ts'

interface Payer {
  readonly country: string | undefined
  readonly fiat: Fiat
}

type Method = (order: Order, engine: Engine, payer: Payer) => PaymentMethod

const onItsWay = 'A payment for this order is on its way.'
const partial = 'Part of this order is already paid. The rest can be sent to the same address.'

const wallet: Method = (order, engine, { fiat }) => {
  const method = 'WALLET'
  const because = (problem: ProblemCode, reason: string): PaymentMethod => ({ method, available: false, reason, problem })
  if (order.status === 'PARTIAL_PAYMENT') return because('partly_paid', partial)
  const now = engine.clock()
  if (openOffers(engine, order, now).length > 0 || isBuiltForWallets(engine, order, now)) return { method, available: true }
  // The wallet sends a transfer, so the payer pays the network.
  if (takesTransfers(order, now)) return { method, available: true, network_fee: networkFee(engine, funding(order).quote.source, fiat) }
  if (order.status === 'EXPIRED' || now >= order.expiresAt) return because('price_over', 'The price has expired. Get a new one first.')
  if (!takesAuthorization(order, now)) return because('on_its_way', onItsWay)
  return because('needs_transfer', `${order.terms.asset.symbol} cannot be paid with one signature. Send it to an address instead.`)
}

const isBuiltForWallets = (engine: Engine, order: Order, now: number): boolean =>
  takesAuthorization(order, now) && destinationsOf(order.terms).some(({ asset }) => engine.chains.get(asset.chainId)?.walletPayments)

const takesTransfers = (order: Order, now: number): boolean =>
  takesAuthorization(order, now) && destinationsOf(order.terms).some(({ asset }) => chains[asset.chainId].family === 'evm')

const depositAddress: Method = (order, engine, { fiat }) => {
  const method = 'DEPOSIT_ADDRESS'
  if (closing(order)?.because === 'charged') return { method, available: false, reason: onItsWay, problem: 'on_its_way' }
  const network_fee = networkFee(engine, funding(order).quote.source, fiat)
  return { method, available: true, network_fee, least_total: closing(order) ? undefined : leastTotal(engine, order, fiat) }
}

const card: Method = (order, engine, { country, fiat }) => {
  const why = cardRefusal(engine, order, country)
  return {
    method: 'CARD',
    available: why === undefined,
    estimated_total: why ? undefined : estimatedTotal(engine, order, fiat),
    minimum_amount: { amount: cardMinimum, unit: cardFiat(order).toUpperCase() },
    ...why,
  }
}

/** The response lists the methods in this order. */
const methods: readonly Method[] = [wallet, depositAddress, card]

function isPayable(order: Order): boolean {
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

export async function methodsFor(engine: Engine, order: Order, country: string | undefined): Promise<PaymentMethod[]> {
  if (!isPayable(order)) throw new ApiError(422, `This order cannot take a payment any more: it is ${order.status}.`)
  const payer = { country, fiat: await fiatOf(engine, order) }
  return methods.map((method) => method(order, engine, payer))
}

export function paymentMethods(route: Route, routeV2: Route, engine: Engine): void {
  const list = async (organizationId: string, id: string, country: string | undefined) => {
    const order = await orderOf(engine.sql, organizationId, id)
    if (!order) throw notFound('order')
    return { body: { methods: await methodsFor(engine, order, country) }, headers: { 'cache-control': 'no-store' } }
  }
  route(endpoints.paymentMethods, ({ organizationId, params, c }) => list(organizationId, params.order_id, payerCountry(c)))
  routeV2(paymentMethodsV2, ({ organizationId, params, c }) => list(organizationId, params.payorder_id, payerCountry(c)))
}
