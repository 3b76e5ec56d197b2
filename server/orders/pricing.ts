import type { Asset } from './model/asset.ts'
import { assetToPrice, needsPrice } from './model/repricing.ts'
import type { Order } from './model/order.ts'
import type { Quote } from './model/quote.ts'
import { orderById } from './order-queries.ts'
import type { Engine } from './engine.ts'
import { quoteIn, tokenOf } from './quoting.ts'

/** Today's price for money that an order has no good price for; undefined where none is needed, or none can be had now. */
export const priceForArrival = async (engine: Engine, order: Order, asset: Asset): Promise<Quote | undefined> =>
  needsPrice(order, asset, engine.clock()) ? priceAgain(engine, order, asset) : undefined

/** The same for what is still due of a payment whose time is over. */
export async function priceForTick(engine: Engine, orderId: string): Promise<Quote | undefined> {
  const order = await orderById(engine.sql, orderId)
  const asset = order && assetToPrice(order, engine.clock())
  return order && asset && priceAgain(engine, order, asset)
}

/** Without a price money waits, held and visible, until there is one again: nothing is done at a wrong one. */
async function priceAgain(engine: Engine, order: Order, asset: Asset): Promise<Quote | undefined> {
  const token = tokenOf(engine, asset)
  if (!token) return undefined
  const slippageBps = order.quotes.findLast((quote) => quote.source.address === asset.address)?.slippageBps ?? order.terms.slippageBps
  try {
    const quote = await quoteIn(engine, { ...order.terms, slippageBps }, token)
    return quote === 'no_route' ? undefined : quote
  } catch (error) {
    engine.log.warn({ err: error, order: order.id, token: asset.symbol }, 'there is no price for what an order is paid in')
    return undefined
  }
}
