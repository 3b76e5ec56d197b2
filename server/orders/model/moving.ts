import type { OrderStatus } from '../../../src/wire/order.ts'
import type { Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import type { Order } from './order.ts'

export type Rule = (order: Order, rules: Rules, now: number) => readonly Fact[]

export const isSettled = (order: Order): boolean => order.status === 'COMPLETED' || order.status === 'REFUNDED'

/** Statuses that lie between, so that the log never shows a step that the contract does not know. */
function between(from: OrderStatus, to: OrderStatus): readonly OrderStatus[] {
  if (to === 'EXECUTING_ORDER' && (from === 'PENDING' || from === 'AWAITING_PAYMENT' || from === 'PARTIAL_PAYMENT' || from === 'EXPIRED'))
    return ['AWAITING_CONFIRMATION']
  if (to === 'PARTIAL_PAYMENT' && from === 'PENDING') return ['AWAITING_PAYMENT']
  return []
}

export const moveTo = (from: OrderStatus, to: OrderStatus): readonly Fact[] =>
  [...between(from, to), to].map((status) => ({ type: 'became', status }))
