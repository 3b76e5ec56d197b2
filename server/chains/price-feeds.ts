/** A price that somebody publishes on a chain. */
export interface FeedPrice {
  readonly usd: string
  /** The feed stood by this price at this time, in unix milliseconds. */
  readonly asOf: number
}

/** Returns the prices that hold now in US dollars, by price id or fiat unit in lower case. */
export type PriceFeeds = (signal: AbortSignal) => Promise<ReadonlyMap<string, FeedPrice>>
