import type { ChosenRoute, PlannedConversion } from '../unsigned-move.ts'
import type { PricedRoute } from './quote-routes.ts'
import { routeName } from './route.ts'

/**
 * The conversion must yield what the order needs, and what the best route promises now, less the slippage: what it yields beyond the order's
 * need is the recipient's, and nobody else shall get it. Of the routes that promise enough, the best one that this order has not tried in vain
 * is taken, since a router or a pool may fail for a reason that no quote shows. Undefined means that none yields enough.
 */
export function chooseRoute(
  routes: readonly PricedRoute[],
  { minOut, slippageBps }: Pick<PlannedConversion, 'minOut' | 'slippageBps'>,
  tried: ReadonlySet<string>,
): ChosenRoute | undefined {
  const [best] = routes
  if (!best || best.amountOut < minOut) return undefined
  const promised = (best.amountOut * BigInt(10_000 - slippageBps)) / 10_000n
  const leastOut = promised > minOut ? promised : minOut
  const { route } = routes.find((other) => other.amountOut >= leastOut && !tried.has(routeName(other.route))) ?? best
  return { route, leastOut }
}
