import type * as z from 'zod/mini'
import { isAddressOn } from '../../src/wire/address.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import type { OrderQuotesAnswer, OrderQuotesRequest } from '../../src/wire/order.ts'
import type { Holding } from '../chains/chain.ts'
import { canonicalAddress, sameAsset } from '../orders/model/asset.ts'
import { isOpen } from '../orders/model/commands.ts'
import { closing, funding } from '../orders/model/funding.ts'
import type { Order } from '../orders/model/order.ts'
import type { Quote } from '../orders/model/quote.ts'
import { amountOf, inputAndOutput } from '../orders/model/snapshot.ts'
import { ApiError, invalid, notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { forEachConcurrently } from '../lib/for-each-concurrently.ts'
import { assetOf, quoteIn } from '../orders/quoting.ts'
import { orderOf } from '../orders/order-queries.ts'
import { parseAsset } from '../orders/payable-address.ts'

type Filter = z.infer<typeof OrderQuotesRequest>['filter']
type Option = z.infer<typeof OrderQuotesAnswer>['options'][number]

const timeoutMs = 6_000
const usualLimit = 20
/** Pricing a token may read the chain, so at most this many are priced, and tokens of which the wallet has a balance come first. */
const maxPriced = 50

/** Lists the currencies that could pay an order, the ones that the wallet can afford first, and the cheapest first among equals. */
export function quotes(route: Route, engine: Engine): void {
  route(endpoints.orderQuotes, async ({ params, body: { filter }, organizationId }) => {
    const order = await orderOf(engine.sql, organizationId, params.order_id)
    if (!order) throw notFound('order')
    if (!isOpen(order)) throw new ApiError(422, `This order cannot take a payment any more: it is ${order.status}.`)
    const candidates = await candidatesFor(engine, order, filter)
    const closed = closing(order)
    const due = funding(order).remaining
    const priced: { readonly quote: Quote; readonly holding: Holding }[] = []
    await forEachConcurrently(6, candidates, async (holding) => {
      const quote = await priceOf(engine, order, holding)
      if (quote !== 'no_route') priced.push({ quote, holding })
    })
    const options = priced
      .map(({ quote, holding }) => ({
        option: optionOf(quote, holding),
        isAffordable: holding.amount >= (closed ? due : quote.input.total),
      }))
      .sort((a, b) => Number(b.isAffordable) - Number(a.isAffordable) || a.option.input.amount.value_usd - b.option.input.amount.value_usd)
      .map(({ option }) => option)
      .filter(({ input }) => (input.balance?.value_usd ?? 0) >= (filter.min_balance_usd ?? 0))
    return { body: { options: options.slice(0, filter.limit ?? usualLimit) }, headers: { 'cache-control': 'no-store' } }
  })
}

/** Conversion stays on one chain, so only that chain is read. Once a payment has begun in a currency, no other is offered. */
async function candidatesFor(engine: Engine, order: Order, { wallet, sources }: Filter): Promise<readonly Holding[]> {
  const { chainId } = order.terms.asset
  const refuse = (path: string, message: string) => invalid(`filter.wallet.${path}`, message, message)
  if (wallet.chain_type !== 'EVM') throw refuse('chain_type', `Wallets of type ${wallet.chain_type} are not available here.`)
  if (!isAddressOn(chainId, wallet.address)) throw refuse('address', 'This is not an address of a wallet of this type.')
  const chain = engine.chains.get(chainId)
  if (!chain || !wallet.chain_ids.includes(chainId)) return []
  const closed = closing(order)
  const named = sources?.map((currency, index) => parseAsset(currency, `filter.sources.${index}`))
  const isWanted = ({ token }: Holding) =>
    (!named || named.some((asset) => sameAsset(asset, token))) && (!closed || sameAsset(closed.quote.source, token))
  const held = await chain.holdings(canonicalAddress(wallet.address) ?? wallet.address, AbortSignal.timeout(timeoutMs))
  const wanted = held.filter(isWanted)
  return [...wanted.filter((holding) => holding.amount > 0n), ...wanted.filter((holding) => holding.amount === 0n)].slice(0, maxPriced)
}

/** Leaves out a token that cannot be priced now, but throws for the settlement asset, without whose price nothing can be priced. */
async function priceOf(engine: Engine, order: Order, { token }: Holding): Promise<Quote | 'no_route'> {
  const closed = closing(order)
  if (closed) return closed.quote
  try {
    return await quoteIn(engine, order.terms, token)
  } catch (error) {
    if (sameAsset(token, order.terms.asset)) throw error
    engine.log.warn({ err: error, token: token.symbol }, 'cannot price a token; leaving it out of the quotes')
    return 'no_route'
  }
}

function optionOf(quote: Quote, { token, amount }: Holding): Option {
  const { input, output } = inputAndOutput(quote)
  return { input: { ...input, balance: amountOf(amount, assetOf(token), quote.sourceUsd) }, output }
}
