import type { OrderStatus } from '../../../src/wire/order.ts'
import type { Policy } from './commands.ts'
import type { Fact } from './facts.ts'
import type { Order } from './order.ts'
import { isUnpaid } from './funding.ts'

/** A reaction returns the facts that follow from an order's present state, if any. */
export type Reaction = (order: Order, policy: Policy, now: number) => readonly Fact[]

export const isSettled = (order: Order): boolean => order.status === 'COMPLETED' || order.status === 'REFUNDED'

/** Inserts intermediate statuses, so that the log never shows a transition that the API's contract does not allow. */
function between(from: OrderStatus, to: OrderStatus): readonly OrderStatus[] {
  if (to === 'EXECUTING_ORDER' && (from === 'PENDING' || from === 'AWAITING_PAYMENT' || from === 'PARTIAL_PAYMENT' || from === 'EXPIRED'))
    return ['AWAITING_CONFIRMATION']
  if (to === 'PARTIAL_PAYMENT' && from === 'PENDING') return ['AWAITING_PAYMENT']
  return []
}

export const moveTo = (from: OrderStatus, to: OrderStatus): readonly Fact[] =>
  [...between(from, to), to].map((status) => ({ type: 'became', status }))

/** Money covers another order of the same invoice, so this one is closed, unless a significant sum has arrived or was signed for. */
export function superseded(order: Order, by: string): readonly Fact[] {
  if (order.supersededBy !== undefined || !isUnpaid(order)) return []
  const isOpen = order.status === 'PENDING' || order.status === 'AWAITING_PAYMENT'
  return [{ type: 'superseded', by }, ...(isOpen ? [{ type: 'became', status: 'EXPIRED' } as const] : [])]
}
