import { endpoints } from '../../src/wire/endpoints.ts'
import type { Token } from '../chains/chain.ts'
import { currencyOf } from '../domain/snapshot.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../jobs/engine.ts'
import { assetOf } from '../jobs/quoting.ts'

/** The better a token fits what was typed, the smaller; undefined when it does not fit at all. */
const rank = (token: Token, typed: string): number | undefined => {
  const symbol = token.symbol.toLowerCase()
  const name = token.name.toLowerCase()
  if (symbol === typed) return 0
  if (symbol.startsWith(typed)) return 1
  if (name.startsWith(typed)) return 2
  if (name.includes(typed) || symbol.includes(typed)) return 3
  if (typed.startsWith('0x') && token.address?.startsWith(typed)) return 4
  return undefined
}

export const currencies = (route: Route, engine: Engine): void => {
  route(endpoints.searchCurrencies, async ({ query }) => {
    const typed = query.q?.trim().toLowerCase() ?? ''
    if (typed.length < 2) return { body: { currencies: [] } }
    const wanted = query.chain_ids?.split(',').map(Number)
    const tokens = [...engine.chains.values()].filter((chain) => !wanted || wanted.includes(chain.id)).flatMap((chain) => chain.tokens)
    const found = tokens
      .flatMap((token) => {
        const place = rank(token, typed)
        return place === undefined ? [] : [{ token, place }]
      })
      .sort((a, b) => a.place - b.place || a.token.symbol.localeCompare(b.token.symbol) || a.token.chainId - b.token.chainId)
      .slice(0, query.limit)
    const priced = await Promise.all(
      found.map(async ({ token }) => currencyOf(assetOf(token), (await engine.prices.get(token.priceId))?.usd ?? '0')),
    )
    return { body: { currencies: priced } }
  })
}
