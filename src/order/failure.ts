import type { OrderRead } from '../wire/order-read.ts'
import type { Step } from './step.ts'

/** Where the money of a failed payment is, as far as the service says. */
export type Failure = 'nothing' | 'unknown' | 'held' | 'back'

export const failureOf = (order: OrderRead, step: Extract<Step, { at: 'failed' }>): Failure => {
  if (step.back) return 'back'
  if (!step.amount || !order.payment?.funding?.transactions) return 'unknown'
  return step.amount.raw > 0n ? 'held' : 'nothing'
}
