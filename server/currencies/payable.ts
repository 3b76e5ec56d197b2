import { forEachConcurrently } from '../lib/for-each-concurrently.ts'
import { pause } from '../lib/pause.ts'
import type { Engine } from '../orders/engine.ts'
import type { Token } from '../chains/chain.ts'
import { sameAsset } from '../orders/model/asset.ts'
import { validQuote } from '../orders/model/choosing.ts'
import { isOpen } from '../orders/model/commands.ts'
import { destinationFor, destinationsOf } from '../orders/model/destination.ts'
import { closing } from '../orders/model/funding.ts'
import type { Order } from '../orders/model/order.ts'
import type { Quote } from '../orders/model/quote.ts'
import { quoteIn } from '../orders/quoting.ts'

/** A search does not wait longer for prices. What has none by then counts as not payable, since its chain hardly answers. */
const waitMs = 3_000

/** Returns what the order would ask for in each of the tokens that can pay it now. */
export async function payableIn(engine: Engine, order: Order, tokens: readonly Token[]): Promise<ReadonlyMap<Token, Quote>> {
  const found = new Map<Token, Quote>()
  if (!isOpen(order)) return found
  const closed = closing(order)
  if (closed) {
    const token = tokens.find((candidate) => sameAsset(candidate, closed.quote.source))
    if (token) found.set(token, closed.quote)
    return found
  }
  const destinations = destinationsOf(order.terms)
  const candidates = tokens.filter((token) => destinationFor(destinations, token) !== undefined)
  const stopping = new AbortController()
  const pricing = forEachConcurrently(6, candidates, async (token) => {
    const quote = stopping.signal.aborted ? undefined : await quoteOrNone(engine, order, token)
    if (quote && !stopping.signal.aborted) found.set(token, quote)
  })
  await Promise.race([pricing, pause(waitMs, stopping.signal)])
  stopping.abort()
  return found
}

/** A quote that the order has is asked for as it is, and any other token is priced now. */
export async function quoteOrNone(engine: Engine, order: Order, token: Token): Promise<Quote | undefined> {
  const now = engine.clock()
  const known = validQuote(order, token, now)
  if (known) return known
  try {
    const quote = await quoteIn(engine, order, token)
    return quote === 'no_route' ? undefined : quote
  } catch (error) {
    engine.log.warn({ err: error, token: token.symbol, chain: token.chainId }, 'cannot price a token; leaving it out')
    return undefined
  }
}
