import { applied } from './apply.ts'
import { sameAsset } from './asset.ts'
import type { Policy } from './commands.ts'
import { isUnsigned } from './created-by.ts'
import type { Fact } from './facts.ts'
import { isBeingPaid, isUnpaid } from './funding.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'
import { assetToPrice, awaitsPrice, repriceAt, repriced } from './repricing.ts'

/** What time alone changes: expiry, fresh prices, reminders, retries. */
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
      // After a long downtime both may be due at once.
      const isReminded = now >= order.expiresAt + policy.remindAfterMs && order.remindedAt === undefined
      return [...priced, ...(isReminded ? ([{ type: 'reminded' }, { type: 'became', status: 'PARTIAL_PAYMENT' }] as const) : [])]
    }
    case 'FAILED':
      return now >= (retryAt(order, policy) ?? Infinity) ? [{ type: 'became', status: 'EXECUTING_ORDER' }] : []
    default:
      return []
  }
}

/**
 * When a failed settlement is tried again. Never while its money is being refunded; and a REFUND order's money is the first order's
 * business.
 */
function retryAt(order: Order, policy: Policy): number | undefined {
  if (
    !order.failure ||
    order.terms.refundOf?.fromDeposit ||
    order.refunds.some((refund) => refund.from === 'deposit' && refund.state !== 'failed')
  )
    return undefined
  // An unsigned order's recipient may burn gas and refuse on purpose: the operator pays for one retry and no more.
  const wait = isUnsigned(order.terms) && order.failure.attempts > 1 ? undefined : policy.retryAfterMs[order.failure.attempts - 1]
  return wait === undefined ? undefined : order.failure.at + wait
}

/** Retry a price that nobody knew a minute after the order's last change. */
const priceAt = (order: Order): number | undefined => (awaitsPrice(order, order.updatedAt) ? order.updatedAt + 60_000 : undefined)

/** When `tick` next has something to do for this order. */
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
