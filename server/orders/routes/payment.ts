import { chainFacts } from '../../../src/wire/chain.ts'
import { endpoints } from '../../../src/wire/endpoints.ts'
import type { PaymentRequest } from '../../../src/wire/order.ts'
import type { Token } from '../../chains/chain.ts'
import { sameAsset } from '../model/asset.ts'
import type { Command } from '../model/commands.ts'
import { closing, quoteInForce } from '../model/funding.ts'
import type { Order } from '../model/order.ts'
import type { Quote } from '../model/quote.ts'
import { snapshot } from '../model/snapshot.ts'
import { type ApiError, invalid, notFound } from '../../http/api-error.ts'
import type { Route } from '../../http/route.ts'
import { payerCountry } from '../../http/country.ts'
import { openCard, type OpenedCard } from '../../fiat/cards.ts'
import type { Engine } from '../engine.ts'
import { quoteIn, tokenOf } from '../quoting.ts'
import { record } from '../record.ts'
import { isTx, type Sql, type Tx } from '../../database/connect.ts'
import { transaction } from '../../database/transaction.ts'
import { orderOf } from '../order-queries.ts'
import { parseAsset, payableAddress } from '../payable-address.ts'
import { requireNewestOfInvoice } from '../../invoices/invoice-routes.ts'
import { refusalError } from '../order-errors.ts'

/** A reused price must be valid for this much longer, so that it is still valid when the transaction begins. */
const marginMs = 15_000

export function payment(route: Route, engine: Engine): void {
  route(
    endpoints.requestPayment,
    async ({ params, body, organizationId, c }) => {
      const order = await orderOf(engine.sql, organizationId, params.order_id)
      return order && { order, price: await priceFor(engine, order, body, payerCountry(c)) }
    },
    async ({ body, caller, tx }, prepared) => {
      if (!prepared) throw notFound('order')
      const asked = { body, signed: caller.signed, price: prepared.price }
      return { body: { data: snapshot(await choose(engine, tx, prepared.order, asked)).payment } }
    },
  )
}

/** The hosted page requests payment by transfer only, which needs neither a signature nor the payer's country. */
export async function requestPayment(engine: Engine, order: Order, body: PaymentRequest): Promise<Order> {
  return choose(engine, engine.sql, order, { body, signed: false, price: await priceFor(engine, order, body, undefined) })
}

async function choose(engine: Engine, tx: Sql | Tx, order: Order, asked: Asked): Promise<Order> {
  const command = async (current: Order, sql: Sql | Tx) => {
    if (isTx(sql)) await requireNewestOfInvoice(sql, current)
    return commandFor(engine, sql, current, asked)
  }
  // The transaction keeps the invoice locked until the order has changed, so that no newer order of the invoice appears in between.
  const needsLock = order.terms.invoiceId !== undefined && !isTx(tx)
  const result = needsLock
    ? await transaction(tx, (locked) => record(engine, order, command, locked))
    : await record(engine, order, command, tx)
  if (!result) throw notFound('order')
  if (!result.ok) throw refusalError(result.refusal)
  return result.order
}

type Priced = Quote | 'no_route' | OpenedCard | undefined

async function priceFor(engine: Engine, order: Order, body: PaymentRequest, country: string | undefined): Promise<Priced> {
  if (body.source.payment_rail === 'FIAT') return openCard(engine, order, country)
  const token = sourceOf(engine, body)
  const slippageBps = body.source.slippage_bps ?? order.terms.slippageBps
  if (!body.extend && isPriced(order, token, engine.clock())) return undefined
  return quoteIn(engine, { ...order.terms, slippageBps }, token)
}

interface Asked {
  readonly body: PaymentRequest
  readonly signed: boolean
  readonly price: Priced
}

async function commandFor(engine: Engine, sql: Sql | Tx, order: Order, { body, signed, price }: Asked): Promise<Command> {
  if (price && price !== 'no_route' && 'card' in price) return { type: 'card', ...price }
  const token = sourceOf(engine, body)
  const refundAddress =
    body.refund_address === undefined ? undefined : await payableAddress(engine, sql, token.chainId, body.refund_address, 'refund_address')
  const closed = closing(order)
  const isClosedToIt = closed !== undefined && !sameAsset(closed.quote.source, token)
  if (price === 'no_route' && !isClosedToIt) throw noRoute(order, token)
  const quote = price === 'no_route' ? undefined : price
  if (!body.extend) return { type: 'choose', source: token, quote, refundAddress, signed }
  if (sameAsset(quoteInForce(order).source, token)) return { type: 'extend', quote }
  throw invalid('source.currency', 'another currency is asked for now', 'Only the time of what is asked for now can be extended.')
}

function sourceOf(engine: Engine, { source }: PaymentRequest): Token {
  const token = tokenOf(engine, parseAsset(source.currency, 'source.currency'))
  if (token) return token
  throw invalid('source.currency', 'not available here', 'This currency is not available here.', { problem: 'currency_unavailable' })
}

/** A price that is still valid is reused, so that repeated requests cost no new quote. */
const isPriced = (order: Order, source: Token, now: number): boolean =>
  order.instructedAt !== undefined &&
  order.expiresAt > now + marginMs &&
  order.quotes.some((quote) => sameAsset(quote.source, source) && quote.expiresAt > now + marginMs)

function noRoute({ terms: { asset } }: Order, source: Token): ApiError {
  const [from, to] = [chainFacts(source.chainId)?.name, chainFacts(asset.chainId)?.name]
  const message =
    source.chainId === asset.chainId
      ? `There is no route from ${source.symbol} to ${asset.symbol} for this amount. Choose another currency.`
      : `There is no route from ${source.symbol} on ${from}: this order is paid on ${to}.`
  return invalid('source.currency', 'no route to the settlement currency', message, { problem: 'no_route' })
}
