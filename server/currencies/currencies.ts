import { isChainId } from '../../src/wire/chain.ts'
import type * as z from 'zod/mini'
import type { CurrencySearchQuery, FoundCurrency } from '../../src/wire/currency.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import type { Order } from '../orders/model/order.ts'
import { amountOf, currencyOf } from '../orders/model/snapshot.ts'
import type { SpendLookup } from '../http/access.ts'
import { ApiError, notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { orderOf } from '../orders/order-queries.ts'
import { assetOf } from '../orders/quoting.ts'
import { currencySearch } from './currency-search.ts'
import { fiatOf, networkFee } from '../orders/network-fee.ts'
import { payableIn } from './payable.ts'

export interface SearchedFor {
  readonly isLive: boolean
  /** With an order each currency says whether it can pay that order, and how much of it. */
  readonly order?: Order
}

export type FindCurrencies = (query: z.infer<typeof CurrencySearchQuery>, searchedFor: SearchedFor) => Promise<FoundCurrency[]>

/** `engine` may answer from a cache, since its prices are only shown. */
export function currencyFinder(engine: Engine): FindCurrencies {
  const { chains, prices } = engine
  const tokensFor = (isLive: boolean) =>
    currencySearch([...chains.values()].filter(({ id }) => engine.sees(isLive, id)).flatMap((chain) => chain.tokens))
  const searches = { live: tokensFor(true), test: tokensFor(false) }
  return async ({ q, limit, chain_ids }, { isLive, order }) => {
    const found = searches[isLive ? 'live' : 'test'].find(q ?? '', { limit, chainIds: chainsOf(chain_ids) })
    const payable = order && (await payableIn(engine, order, found))
    const fiat = order && (await fiatOf(engine, order))
    return Promise.all(
      found.map(async (token) => {
        const quote = payable?.get(token)
        // An amount goes with the price that it was made with.
        const currency = quote
          ? currencyOf(assetOf(token), quote.sourceUsd, quote.fiatUsd)
          : currencyOf(assetOf(token), (await prices.get(token.priceId))?.usd ?? '0')
        if (!fiat) return currency
        return {
          ...currency,
          payable: quote !== undefined,
          amount: quote && amountOf(quote.input.total, quote.source, quote.sourceUsd),
          network_fee: quote && networkFee(engine, quote.source, fiat),
          estimated_duration_seconds: quote?.seconds,
        }
      }),
    )
  }
}

/** Pricing currencies for an order asks chains, so `spendLookup` limits it. */
export function currencies(route: Route, engine: Engine, find: FindCurrencies, spendLookup: SpendLookup): void {
  route(endpoints.searchCurrencies, async ({ query, organizationId, caller, key, c }) => {
    if (query.order_id !== undefined) spendLookup(c, caller)
    const order = query.order_id === undefined ? undefined : await orderOf(engine.sql, organizationId, query.order_id)
    if (query.order_id !== undefined && !order) throw notFound('order')
    return { body: { currencies: await find(query, { isLive: key.isLive, order }) } }
  })
}

/** A chain of this API that is not configured here merely has no tokens, but any other number is the caller's mistake. */
function chainsOf(list: string | undefined): ReadonlySet<number> | undefined {
  const ids = list?.split(',').map(Number)
  const wrong = ids?.find((id) => !isChainId(id))
  if (wrong !== undefined)
    throw new ApiError(400, `chain_ids holds ${wrong}, which is not a chain id of this API.`, {
      issues: [{ path: 'chain_ids', message: 'must be chain ids separated by commas' }],
    })
  return ids && new Set(ids)
}
