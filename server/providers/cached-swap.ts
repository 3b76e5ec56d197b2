import type { Swap, SwapAsk, SwapPrice } from '../chains/swap.ts'

/** Only quotes for display are cached, so they may be a few seconds old. */
const cacheForMs = 3_000
const maxCached = 5_000

/** Caches quotes for all callers, since each quote is a call to a node that the operator pays for. */
export function cachedSwap(swap: Swap, clock: () => number): Swap {
  const known = new Map<string, { readonly price: Promise<SwapPrice | 'no_route'>; readonly until: number }>()
  const nameOf = ({ from, to, amount, tradeType }: SwapAsk): string =>
    `${from.chainId} ${from.address} ${to.chainId} ${to.address} ${tradeType} ${amount}`
  return {
    quote(ask) {
      const name = nameOf(ask)
      const before = known.get(name)
      if (before && before.until > clock()) return before.price
      const price = swap.quote(ask)
      if (known.size >= maxCached) known.clear()
      const entry = { price, until: clock() + cacheForMs }
      known.set(name, entry)
      // A quote that failed, or whose first caller aborted it, is not cached.
      price.catch(() => known.get(name) === entry && known.delete(name))
      return price
    },
  }
}
