import { chainFacts, type ChainId } from '../../../src/wire/chain.ts'
import { endpoints } from '../../../src/wire/endpoints.ts'
import type { PaymentRequest } from '../../../src/wire/order.ts'
import type { Token } from '../../chains/chain.ts'
import { sameAsset } from '../model/asset.ts'
import { validQuote } from '../model/choosing.ts'
import type { Command } from '../model/commands.ts'
import { destinationFor, destinationsOf } from '../model/destination.ts'
import { closing, quoteInForce } from '../model/funding.ts'
import type { Order } from '../model/order.ts'
import type { Quote } from '../model/quote.ts'
import { snapshot } from '../model/snapshot.ts'
import type { SpendLookup } from '../../http/access.ts'
import { type ApiError, invalid, notFound } from '../../http/api-error.ts'
import type { Route } from '../../http/route.ts'
import { payerCountry } from '../../http/country.ts'
import { openCard, type OpenedCard } from '../../fiat/cards.ts'
import type { Engine } from '../engine.ts'
import { quoteIn, tokenOf } from '../quoting.ts'
import { record } from '../record.ts'
import { isTx, type Sql, type Tx } from '../../database/connect.ts'
import { transaction } from '../../database/transaction.ts'
import { chainsToReturnOn, type GivenRefundAddress, refundAddressOn } from '../model/refund-address.ts'
import { orderOf } from '../order-queries.ts'
import { parseAsset, payableAddress } from '../payable-address.ts'
import { requireNewestOfInvoice } from '../../invoices/invoice-routes.ts'
import { refusalError } from '../order-errors.ts'

/** A reused price must be valid for this much longer, so that it is still valid when the transaction begins. */
const marginMs = 15_000
const lookUpMs = 3_000

/** Whoever has the link may ask without a signature, so `spendLookup` limits what such calls ask of chains and providers. */
export function payment(route: Route, engine: Engine, spendLookup: SpendLookup): void {
  route(
    endpoints.requestPayment,
    async ({ params, body, organizationId, caller, c }) => {
      const order = await orderOf(engine.sql, organizationId, params.order_id)
      if (order && !caller.signed && asksOutside(engine, order, body)) spendLookup(c, caller)
      return order && { order, ...(await prepare(engine, order, body, payerCountry(c))) }
    },
    async ({ body, caller, tx }, prepared) => {
      if (!prepared) throw notFound('order')
      const { order, ...found } = prepared
      return { body: { data: snapshot(await choose(engine, tx, order, { body, signed: caller.signed, ...found })).payment } }
    },
  )
}

/** The hosted page requests payment by transfer only, which needs neither a signature nor the payer's country. */
export async function requestPayment(engine: Engine, order: Order, body: PaymentRequest): Promise<Order> {
  return choose(engine, engine.sql, order, { body, signed: false, ...(await prepare(engine, order, body, undefined)) })
}

async function choose(engine: Engine, tx: Sql | Tx, order: Order, asked: Asked): Promise<Order> {
  const command = async (current: Order, sql: Sql | Tx) => {
    if (isTx(sql) && asked.body.source) await requireNewestOfInvoice(sql, current)
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

/** A card is opened at its provider, a conversion is priced by its pools, and a chain says whether a refund address is a contract. */
function asksOutside(engine: Engine, order: Order, { source, refund_address, extend }: PaymentRequest): boolean {
  if (refund_address !== undefined || source?.payment_rail === 'FIAT') return true
  const token = source && sourceOf(engine, source)
  if (!token || destinationsOf(order.terms).some(({ asset }) => sameAsset(asset, token))) return false
  return extend === true || !isPriced(order, token, engine.clock())
}

/** Asks providers and chains, with no transaction open. */
async function prepare(engine: Engine, order: Order, body: PaymentRequest, country: string | undefined): Promise<Prepared> {
  const refundChainId = body.source?.currency.chain_id ?? body.refund_chain_id ?? quoteInForce(order).source.chainId
  const [price, isPlain] = await Promise.all([
    body.source && priceFor(engine, order, body, body.source, country),
    isPlainAddress(engine, order, refundChainId, body.refund_address),
  ])
  return { price, refundChainId, isPlain }
}

/** An address counts as a contract while its chain does not answer. */
async function isPlainAddress(engine: Engine, order: Order, chainId: ChainId, given: string | undefined): Promise<boolean> {
  const chain = engine.chains.get(chainId)
  const address = given === undefined ? undefined : chain?.addresses.read(given)
  if (address === undefined || !chain?.hasCode) return false
  // The chain is not asked again about what the order knows already.
  if (order.isRefundPlain && refundAddressOn(order, chain.id) === address) return true
  return chain.hasCode(address, AbortSignal.timeout(lookUpMs)).then(
    (hasCode) => !hasCode,
    () => false,
  )
}

type Source = NonNullable<PaymentRequest['source']>
type Priced = Quote | 'no_route' | OpenedCard | undefined

async function priceFor(engine: Engine, order: Order, body: PaymentRequest, source: Source, country: string | undefined): Promise<Priced> {
  if (source.payment_rail === 'FIAT') return openCard(engine, order, country)
  const token = sourceOf(engine, source)
  const slippageBps = source.slippage_bps ?? order.terms.slippageBps
  if (!body.extend && isPriced(order, token, engine.clock())) return undefined
  return quoteIn(engine, order, token, { slippageBps })
}

interface Prepared {
  readonly price: Priced
  /** The refund address of the request is for this chain. */
  readonly refundChainId: ChainId
  /** The refund address of the request has no contract on its chain. */
  readonly isPlain: boolean
}

interface Asked extends Prepared {
  readonly body: PaymentRequest
  readonly signed: boolean
}

async function commandFor(engine: Engine, sql: Sql | Tx, order: Order, asked: Asked): Promise<Command> {
  const { body, signed, price } = asked
  if (price && price !== 'no_route' && 'card' in price) return { type: 'card', ...price }
  const token = body.source && sourceOf(engine, body.source)
  // The address is read as one of its network, which has to be one of the order's for that.
  if (!token && !chainsToReturnOn(order).includes(asked.refundChainId))
    throw invalid(
      'refund_chain_id',
      'a network of this order',
      'No money of this order has come on that network, and none is asked for there.',
    )
  const refundAddress = await givenAddress(engine, sql, asked)
  if (!token) {
    if (!refundAddress) throw new Error('a request named neither a source nor a refund address')
    return { type: 'give_refund_address', refundAddress, signed }
  }
  const closed = closing(order)
  const isClosedToIt = closed !== undefined && !sameAsset(closed.quote.source, token)
  if (price === 'no_route' && !isClosedToIt) throw noRoute(order, token)
  const quote = price === 'no_route' ? undefined : price
  if (!body.extend) return { type: 'choose', source: token, quote, refundAddress, signed }
  if (sameAsset(quoteInForce(order).source, token)) return { type: 'extend', quote }
  throw invalid('source.currency', 'another currency is asked for now', 'Only the time of what is asked for now can be extended.')
}

async function givenAddress(
  engine: Engine,
  sql: Sql | Tx,
  { body, refundChainId: chainId, isPlain }: Asked,
): Promise<GivenRefundAddress | undefined> {
  if (body.refund_address === undefined) return undefined
  return { address: await payableAddress(engine, sql, chainId, body.refund_address, 'refund_address'), chainId, isPlain }
}

function sourceOf(engine: Engine, source: Source): Token {
  const token = tokenOf(engine, parseAsset(source.currency, 'source.currency'))
  if (token) return token
  throw invalid('source.currency', 'not available here', 'This currency is not available here.', { problem: 'currency_unavailable' })
}

/** A price that is still valid is reused, so that repeated requests cost no new quote. */
const isPriced = (order: Order, source: Token, now: number): boolean =>
  order.expiresAt > now + marginMs && validQuote(order, source, now + marginMs) !== undefined

function noRoute({ terms }: Order, source: Token): ApiError {
  const destinations = destinationsOf(terms)
  const onChain = destinationFor(destinations, source)
  const chains = [...new Set(destinations.map(({ asset }) => chainFacts(asset.chainId)?.name))].join(', ')
  const message = onChain
    ? `There is no route from ${source.symbol} to ${onChain.asset.symbol} for this amount. Choose another currency.`
    : `There is no route from ${source.symbol} on ${chainFacts(source.chainId)?.name}: this order is paid on ${chains}.`
  return invalid('source.currency', 'no route to the settlement currency', message, { problem: 'no_route' })
}
