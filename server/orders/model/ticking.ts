import { applied } from './apply.ts'
import { sameAsset } from './asset.ts'
import type { Policy } from './commands.ts'
import { isUnsigned } from './created-by.ts'
import type { Fact } from './facts.ts'
import { funding, isBeingPaid, isUnpaid } from './funding.ts'
import type { Order, Refund } from './order.ts'
import { convertsAnything, type Quote } from './quote.ts'
import { isSendable } from './settling.ts'
import { assetToPrice, awaitsPrice, repriceAt, repriced } from './repricing.ts'

/** Returns the facts that passing time causes: expiry, fresh prices, reminders and retries. */
export function tick(order: Order, quote: Quote | undefined, policy: Policy, now: number): readonly Fact[] {
  const wanted = assetToPrice(order, now)
  const priced: readonly Fact[] = quote && wanted && sameAsset(quote.source, wanted) ? [repriced(order, quote, policy, now)] : []
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT': {
      const after = applied(order, priced, now)
      const isPaidNow = priced.length > 0 && !isUnpaid(after)
      if (now < order.expiresAt || isPaidNow || isBeingPaid(after, now >= order.expiresAt + policy.claimForMs)) return priced
      const released: readonly Fact[] = order.claimedQuote === undefined ? [] : [{ type: 'claim_released', until: now }]
      return [...priced, ...released, { type: 'became', status: 'EXPIRED' }]
    }
    case 'EXPIRED':
      return priced
    case 'PARTIAL_PAYMENT': {
      // After a long downtime a fresh price and a reminder may both be due.
      const isReminded = now >= order.expiresAt + policy.remindAfterMs && order.remindedAt === undefined
      return [...priced, ...(isReminded ? ([{ type: 'reminded' }, { type: 'became', status: 'PARTIAL_PAYMENT' }] as const) : [])]
    }
    case 'FAILED':
      return now >= (retryAt(order, policy) ?? Infinity) ? [{ type: 'became', status: 'EXECUTING_ORDER' }] : []
    default:
      return []
  }
}

/** A failed settlement is not retried where nothing could be sent, nor once its money goes back, nor on a REFUND order that the refunded order's deposit address pays. */
function retryAt(order: Order, policy: Policy): number | undefined {
  if (!order.failure || order.terms.refundOf?.fromDeposit || isGivenBack(order) || !isSendable(order, funding(order).quote))
    return undefined
  // The recipient of an unsigned order may burn gas and revert on purpose, so the operator pays for only one retry.
  const wait = isUnsigned(order.terms) && order.failure.attempts > 1 ? undefined : policy.retryAfterMs[order.failure.attempts - 1]
  return wait === undefined ? undefined : order.failure.at + wait
}

/** What goes back is the source beyond the surplus, or what a conversion has made of it. */
function isGivenBack(order: Order): boolean {
  const { quote, kept, enough } = funding(order)
  const isOutput = ({ from, state, asset }: Refund) => from === 'deposit' && state !== 'failed' && sameAsset(asset, quote.asset)
  return kept < enough || (convertsAnything(quote) && order.refunds.some(isOutput))
}

/** A price that was unavailable is requested again a minute after the order's last change. */
const priceAt = (order: Order): number | undefined => (awaitsPrice(order, order.updatedAt) ? order.updatedAt + 60_000 : undefined)

/** Returns when `tick` may next have something to do, and undefined if passing time cannot change the order. */
export function nextTick(order: Order, policy: Policy): number | undefined {
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
      return Math.min(order.expiresAt, priceAt(order) ?? Infinity)
    case 'EXPIRED':
      return priceAt(order)
    case 'PARTIAL_PAYMENT':
      return priceAt(order) ?? repriceAt(order) ?? (order.remindedAt === undefined ? order.expiresAt + policy.remindAfterMs : undefined)
    case 'FAILED':
      return retryAt(order, policy)
    default:
      return undefined
  }
}
