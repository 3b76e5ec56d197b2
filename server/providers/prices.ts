/**
 * What things cost in US dollars. `id` is a token's priceId or a fiat unit ('eur'). Prices are decimal strings, with the time they
 * were true; whoever quotes decides whether that is fresh enough.
 */
export interface Prices {
  get(id: string): Promise<Price | undefined>
}

export interface Price {
  readonly usd: string
  readonly asOf: number
}

export const freshness = { crypto: 60_000, fiat: 24 * 3_600_000 } as const

export class PriceUnavailable extends Error {
  readonly code = 'price_unavailable'
  constructor(readonly id: string) {
    super(`There is no fresh price for ${id} right now.`)
    this.name = 'PriceUnavailable'
  }
}

/** A price that may be used for a quote, or PriceUnavailable. */
export const freshPrice = async (prices: Prices, id: string, kind: keyof typeof freshness, now: number): Promise<string> => {
  if (id === 'usd') return '1'
  const price = await prices.get(id)
  if (!price || now - price.asOf > freshness[kind]) throw new PriceUnavailable(id)
  return price.usd
}
