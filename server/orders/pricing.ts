import { type Asset, sameAsset } from './model/asset.ts'
import { assetToPrice, needsPrice } from './model/repricing.ts'
import type { Order } from './model/order.ts'
import type { Quote } from './model/quote.ts'
import { orderById } from './order-queries.ts'
import type { Engine } from './engine.ts'
import { quoteIn, tokenOf } from './quoting.ts'

/** Makes a fresh quote for money that arrived after its quotes had expired, unless none is needed or no price is available. */
export const priceForArrival = async (engine: Engine, order: Order, asset: Asset): Promise<Quote | undefined> =>
  needsPrice(order, asset, engine.clock()) ? priceAgain(engine, order, asset) : undefined

/** Makes the fresh quote that the order's next tick needs, for late money or for the rest that is still due. */
export async function priceForTick(engine: Engine, orderId: string): Promise<Quote | undefined> {
  const order = await orderById(engine.sql, orderId)
  const asset = order && assetToPrice(order, engine.clock())
  return order && asset && priceAgain(engine, order, asset)
}

/** Without a fresh price the money stays held until there is one, because nothing may be settled at a wrong price. */
async function priceAgain(engine: Engine, order: Order, asset: Asset): Promise<Quote | undefined> {
  const token = tokenOf(engine, asset)
  if (!token) return undefined
  // Money that has arrived counts at what it yields now, however much that is. A stranger with the link may have asked for more slippage.
  const asked = order.quotes.findLast((quote) => sameAsset(quote.source, asset))?.slippageBps ?? order.terms.slippageBps
  try {
    const quote = await quoteIn(engine, order, token, { slippageBps: Math.min(asked, order.terms.slippageBps), mostLoss: Infinity })
    return quote === 'no_route' ? undefined : quote
  } catch (error) {
    engine.log.warn(
      { err: error, order: order.id, token: asset.symbol },
      'cannot price what an order is paid in; its money waits for a price',
    )
    return undefined
  }
}
