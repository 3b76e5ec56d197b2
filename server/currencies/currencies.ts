import { isChainId } from '../../src/wire/chain.ts'
import type * as z from 'zod/mini'
import type { Currency, CurrencySearchQuery } from '../../src/wire/currency.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import { currencyOf } from '../orders/model/snapshot.ts'
import { ApiError } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { assetOf } from '../orders/quoting.ts'
import { currencySearch } from './currency-search.ts'

export type FindCurrencies = (query: z.infer<typeof CurrencySearchQuery>) => Promise<Currency[]>

export function currencyFinder({ chains, prices }: Pick<Engine, 'chains' | 'prices'>): FindCurrencies {
  const search = currencySearch([...chains.values()].flatMap((chain) => chain.tokens))
  return async ({ q, limit, chain_ids }) => {
    const found = search.find(q ?? '', { limit, chainIds: chainsOf(chain_ids) })
    return Promise.all(found.map(async (token) => currencyOf(assetOf(token), (await prices.get(token.priceId))?.usd ?? '0')))
  }
}

export function currencies(route: Route, find: FindCurrencies): void {
  route(endpoints.searchCurrencies, async ({ query }) => ({ body: { currencies: await find(query) } }))
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
