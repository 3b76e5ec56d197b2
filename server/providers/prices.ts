import { FiatCurrency } from '../../src/wire/currency.ts'
import type { PriceSourceName } from './price-sources/price-source.ts'

/** Prices are in US dollars, by a token's priceId or a fiat unit ('eur'). The caller decides whether a price is fresh enough. */
export interface Prices {
  get(id: string): Promise<Price | undefined>
  /** What each source says, for those who operate the service. It is absent where prices have no sources. */
  answers?(id: string): Promise<readonly SourceAnswer[]>
}

export interface SourceAnswer {
  readonly source: PriceSourceName
  readonly price: Price | undefined
  readonly problem: PriceProblem | 'unreachable' | undefined
}

export interface Price {
  readonly usd: string
  readonly asOf: number
}

export const freshness = { crypto: 60_000, fiat: 24 * 3_600_000 } as const

export const isFiat = (id: string): boolean => FiatCurrency.options.some((unit) => unit === id)

export class PriceUnavailable extends Error {
  readonly code = 'price_unavailable'
  constructor(readonly id: string) {
    super(`There is no fresh price for ${id} right now.`)
    this.name = 'PriceUnavailable'
  }
}

/** Zero is not a price, and dividing by it would fail. */
export const isPrice = (usd: string): boolean => /^\d{1,30}(\.\d{1,36})?$/.test(usd) && /[1-9]/.test(usd)

/** A provider's clock may be slightly ahead of ours. Further ahead, its price would count as fresh for too long. */
const clockDifferenceMs = 5_000

export type PriceProblem = 'missing' | 'not a price' | 'stale' | 'from the future'

/** Returns why a price must not be used now, or undefined if it may be. */
export function problemOf(price: Price | undefined, kind: keyof typeof freshness, now: number): PriceProblem | undefined {
  if (!price) return 'missing'
  if (!isPrice(price.usd)) return 'not a price'
  const age = now - price.asOf
  return age > freshness[kind] ? 'stale' : age < -clockDifferenceMs ? 'from the future' : undefined
}

/** Returns a price that is fresh enough for a quote, or throws PriceUnavailable. */
export async function freshPrice(prices: Prices, id: string, kind: keyof typeof freshness, now: number): Promise<string> {
  if (id === 'usd') return '1'
  const price = await prices.get(id)
  if (!price || problemOf(price, kind, now) !== undefined) throw new PriceUnavailable(id)
  return price.usd
}
