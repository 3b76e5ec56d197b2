import type { OrderRead } from './order-read.ts'

/** A search finds these within longer symbols too, such as USDC. */
const usual = ['USD', 'ETH', 'DAI'] as const

/** Each search prices currencies, which asks chains. */
const mostOwn = 3

/** A search needs two characters, so these together fill the list at first: what the order settles in, and the most common currencies. */
export const firstSearches = ({ settlements, fulfillment }: Pick<OrderRead, 'settlements' | 'fulfillment'>): readonly string[] => {
  const settled = [fulfillment?.asset, ...(settlements ?? []).map(({ currency }) => currency)].map((currency) => currency?.symbol ?? '')
  const own = settled.filter((symbol) => symbol.length > 1 && !usual.some((name) => symbol.includes(name)))
  return [...[...new Set(own)].slice(0, mostOwn), ...usual]
}
