import type { Swap, SwapAsk, SwapPrice } from './swap.ts'

/** As long as a block or two: what a pool gives does not change in between. */
const cacheForMs = 3_000
const maxCached = 5_000

/** The same question asked again, by whoever, is answered from memory for a moment: a price is a call to a node that somebody pays for. */
export function rememberedSwap(swap: Swap, clock: () => number): Swap {
  const known = new Map<string, { readonly price: Promise<SwapPrice | 'no_route'>; readonly until: number }>()
  const nameOf = ({ from, to, amount, tradeType }: SwapAsk): string =>
    `${from.chainId} ${from.address} ${to.chainId} ${to.address} ${tradeType} ${amount}`
  return {
    call: swap.call,
    quote(ask) {
      const name = nameOf(ask)
      const before = known.get(name)
      if (before && before.until > clock()) return before.price
      const price = swap.quote(ask)
      if (known.size >= maxCached) known.clear()
      const entry = { price, until: clock() + cacheForMs }
      known.set(name, entry)
      // What failed, or was given up by who asked first, is asked anew.
      price.catch(() => known.get(name) === entry && known.delete(name))
      return price
    },
  }
}
