import type { Token } from '../chains/chain.ts'
import { freshPrice, PriceUnavailable } from '../providers/prices.ts'
import type { Engine } from './engine.ts'
import { ratioOf } from './model/rate.ts'

/** A peg holds while the market price is within half a percent of the unit that the token is pegged to. */
export function isInBand(marketUsd: string, unitUsd: string): boolean {
  const [market, unit] = [ratioOf(marketUsd), ratioOf(unitUsd)]
  const [price, parity] = [market.numerator * unit.denominator, unit.numerator * market.denominator]
  const distance = price > parity ? price - parity : parity - price
  return distance * 200n <= parity
}

/** Returns the market price of each pegged token that is outside its band. A token without a fresh price is left out, since nothing is sold for it. */
export async function offPeg(engine: Engine): Promise<readonly { readonly token: Token; readonly unit: string; readonly usd: string }[]> {
  const found = []
  for (const token of [...engine.chains.values()].flatMap(({ tokens }) => tokens)) {
    const usd = token.peg === undefined ? undefined : await priceOutsideBand(engine, token.priceId, token.peg)
    if (token.peg !== undefined && usd !== undefined) found.push({ token, unit: token.peg, usd })
  }
  return found
}

async function priceOutsideBand({ prices, clock }: Engine, priceId: string, unit: string): Promise<string | undefined> {
  try {
    const market = await freshPrice(prices, priceId, 'crypto', clock())
    return isInBand(market, await freshPrice(prices, unit, 'fiat', clock())) ? undefined : market
  } catch (error) {
    if (error instanceof PriceUnavailable) return undefined
    throw error
  }
}
