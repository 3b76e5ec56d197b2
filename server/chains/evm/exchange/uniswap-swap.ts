import type { Swap } from '../../swap.ts'
import { type Market, quoteRoutes } from './quote-routes.ts'

/** Quotes a chain's deployment of Uniswap v3. */
export const uniswapSwap = (market: Market): Swap => ({
  async quote(ask) {
    const [best] = await quoteRoutes(market, ask)
    return best ?? 'no_route'
  },
})
