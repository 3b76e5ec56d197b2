import { sameAsset } from './asset.ts'
import type { Rules } from './commands.ts'
import { isUnsigned } from './created-by.ts'
import type { Fact } from './facts.ts'
import { isBeingPaid } from './funding.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'
import { assetToPrice, awaitsPrice, repriceAt, repriced } from './repricing.ts'

export function tick(order: Order, quote: Quote | undefined, rules: Rules, now: number): readonly Fact[] {
  const wanted = assetToPrice(order, now)
  const priced: readonly Fact[] = quote && wanted && sameAsset(quote.source, wanted) ? [repriced(order, quote, rules, now)] : []
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT': {
      if (priced.length > 0) return priced
      if (now < order.expiresAt || isBeingPaid(order, now >= order.expiresAt + rules.claimForMs)) return []
      const released: readonly Fact[] = order.claimedQuote === undefined ? [] : [{ type: 'claim_released' }]
      return [...released, { type: 'became', status: 'EXPIRED' }]
    }
    case 'EXPIRED':
      return priced
    case 'PARTIAL_PAYMENT': {
      // After a long sleep both are due at once.
      const isReminded = now >= order.expiresAt + rules.remindAfterMs && order.remindedAt === undefined
      return [...priced, ...(isReminded ? ([{ type: 'reminded' }, { type: 'became', status: 'PARTIAL_PAYMENT' }] as const) : [])]
    }
    case 'FAILED':
      return now >= (retryAt(order, rules) ?? Infinity) ? [{ type: 'became', status: 'EXECUTING_ORDER' }] : []
    default:
      return []
  }
}

/** Money that is being given back is not sent to the recipient; and what another order's deposit address sends, that order decides. */
function retryAt(order: Order, rules: Rules): number | undefined {
  if (
    !order.failure ||
    order.terms.refundOf?.fromDeposit ||
    order.refunds.some((refund) => refund.from === 'deposit' && refund.state !== 'failed')
  )
    return undefined
  // Whoever made it may have named a recipient that burns gas and refuses: of a stranger's the operator pays a second try, and no third.
  const wait = isUnsigned(order.terms) && order.failure.attempts > 1 ? undefined : rules.retryAfterMs[order.failure.attempts - 1]
  return wait === undefined ? undefined : order.failure.at + wait
}

/** A minute later than whatever happened last: until then nobody knew a price. */
const priceAt = (order: Order): number | undefined => (awaitsPrice(order, order.updatedAt) ? order.updatedAt + 60_000 : undefined)

/** When `tick` next has something to do for this order. */
export function nextTick(order: Order, rules: Rules): number | undefined {
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
      return Math.min(order.expiresAt, priceAt(order) ?? Infinity)
    case 'EXPIRED':
      return priceAt(order)
    case 'PARTIAL_PAYMENT':
      return priceAt(order) ?? repriceAt(order) ?? (order.remindedAt === undefined ? order.expiresAt + rules.remindAfterMs : undefined)
    case 'FAILED':
      return retryAt(order, rules)
    default:
      return undefined
  }
}
