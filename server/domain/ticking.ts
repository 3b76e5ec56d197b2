import { sameAsset } from './asset.ts'
import type { Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { isBeingPaid, quoteInForce } from './funding.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'
import { repriceAt, repriced, ticksWithPrice } from './repricing.ts'

export const tick = (order: Order, quote: Quote | undefined, rules: Rules, now: number): readonly Fact[] => {
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
      return now >= order.expiresAt && !isBeingPaid(order) ? [{ type: 'became', status: 'EXPIRED' }] : []
    case 'PARTIAL_PAYMENT': {
      // After a long sleep both are due at once.
      const isPriced = quote && ticksWithPrice(order, now) && sameAsset(quote.source, quoteInForce(order).source)
      const isReminded = now >= order.expiresAt + rules.remindAfterMs && order.remindedAt === undefined
      return [
        ...(isPriced ? [repriced(order, quote, rules, now)] : []),
        ...(isReminded ? ([{ type: 'reminded' }, { type: 'became', status: 'PARTIAL_PAYMENT' }] as const) : []),
      ]
    }
    case 'FAILED':
      return now >= (retryAt(order, rules) ?? Infinity) ? [{ type: 'became', status: 'EXECUTING_ORDER' }] : []
    default:
      return []
  }
}

/** Money that is being given back is not sent to the recipient; and what another order's deposit address sends, that order decides. */
const retryAt = (order: Order, rules: Rules): number | undefined => {
  if (!order.failure || order.terms.refundOf?.fromDeposit || order.refunds.some((one) => one.from === 'deposit' && one.state !== 'failed'))
    return undefined
  const wait = rules.retryAfterMs[order.failure.attempts - 1]
  return wait === undefined ? undefined : order.failure.at + wait
}

/** When `tick` next has something to do for this order. */
export const nextTick = (order: Order, rules: Rules): number | undefined => {
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
      return order.expiresAt
    case 'PARTIAL_PAYMENT':
      return repriceAt(order) ?? (order.remindedAt === undefined ? order.expiresAt + rules.remindAfterMs : undefined)
    case 'FAILED':
      return retryAt(order, rules)
    default:
      return undefined
  }
}
