import { isChainId } from '../../src/wire/chain.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import { currencyOf } from '../orders/model/snapshot.ts'
import { ApiError } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { assetOf } from '../orders/quoting.ts'
import { currencySearch } from './currency-search.ts'

export function currencies(route: Route, engine: Engine): void {
  const search = currencySearch([...engine.chains.values()].flatMap((chain) => chain.tokens))

  route(endpoints.searchCurrencies, async ({ query }) => {
    const found = search.find(query.q ?? '', { limit: query.limit, chainIds: chainsOf(query.chain_ids) })
    const priced = found.map(async (token) => currencyOf(assetOf(token), (await engine.prices.get(token.priceId))?.usd ?? '0'))
    return { body: { currencies: await Promise.all(priced) } }
  })
}

/** A chain of this API that is not configured here has no tokens; any other number is a mistake of the caller's. */
function chainsOf(list: string | undefined): ReadonlySet<number> | undefined {
  const ids = list?.split(',').map(Number)
  const wrong = ids?.find((id) => !isChainId(id))
  if (wrong !== undefined)
    throw new ApiError(400, `chain_ids holds ${wrong}, which is not a chain id of this API.`, {
      issues: [{ path: 'chain_ids', message: 'must be chain ids separated by commas' }],
    })
  return ids && new Set(ids)
}
