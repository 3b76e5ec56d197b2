import { canonicalToken } from '../../src/wire/addresses/canonical.ts'
import { parseUnits } from '../../src/wire/money.ts'
import type { Token } from '../chains/chain.ts'
import { freshPrice, type Prices, PriceUnavailable } from '../providers/prices.ts'

/** The guard's own prices. Undefined means that it has none now. */
export type PriceOf = (chainId: number, token: string | null) => Promise<TokenPrice | undefined>

export interface TokenPrice {
  /** A decimal number of dollars for one whole token. */
  readonly usd: string
  readonly decimals: number
}

export type PricedToken = Pick<Token, 'chainId' | 'address' | 'decimals' | 'priceId'>

/** What has a price is counted by the service that asks, whether or not its price is known now. */
export type IsPriced = (chainId: number, token: string | null) => boolean

const tokenOf = (tokens: readonly PricedToken[], chainId: number, address: string | null): PricedToken | undefined =>
  tokens.find((token) => token.chainId === chainId && canonicalToken(chainId, token.address) === canonicalToken(chainId, address))

export const isPricedToken =
  (tokens: readonly PricedToken[]): IsPriced =>
  (chainId, address) =>
    tokenOf(tokens, chainId, address) !== undefined

export const priceOfTokens =
  (tokens: readonly PricedToken[], prices: Prices, clock: () => number): PriceOf =>
  async (chainId, address) => {
    const token = tokenOf(tokens, chainId, address)
    if (!token) return undefined
    try {
      return { usd: await freshPrice(prices, token.priceId, 'crypto', clock()), decimals: token.decimals }
    } catch (error) {
      if (error instanceof PriceUnavailable) return undefined
      throw error
    }
  }

const priceDecimals = 36

/** Returns what the amount is worth as an exact fraction of millionths of a dollar. */
export function worth(amount: bigint, { usd, decimals }: TokenPrice): { readonly over: bigint; readonly under: bigint } {
  const price = parseUnits(usd, priceDecimals)
  if (price === undefined) throw new Error(`${JSON.stringify(usd)} is not a price.`)
  return { over: amount * price * 1_000_000n, under: 10n ** BigInt(decimals + priceDecimals) }
}

/** Rounds up, since a guard counts what may be lost. */
export function worthUp(amount: bigint, price: TokenPrice): bigint {
  const { over, under } = worth(amount, price)
  return (over + under - 1n) / under
}
