import { isMovable } from './movable.ts'
import { type Policy, refuse, type Decision } from './commands.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'

/** Money that arrives shortly before it may be released to the recipients could be neither settled nor refunded in time. */
const isNearRelease = ({ depositTerms }: Order, policy: Policy, now: number): boolean =>
  depositTerms !== undefined && now >= depositTerms.release_at * 1000 - policy.closesBeforeReleaseMs

/** Returns why an order gets no new price in this currency and no more time, or undefined if it does. */
export function tooOld(order: Order, { source }: Pick<Quote, 'source'>, policy: Policy, now: number): Decision | undefined {
  if (!isMovable(order, source.chainId))
    return refuse('no_terms', 'An earlier release made this order, and it takes no payment any more. Ask for a new one.')
  if (isNearRelease(order, policy, now)) return refuse('near_release', 'This order is too old to be paid. Ask for a new one.')
  return undefined
}
