import type { Fact } from './facts.ts'
import { isUnpaid } from './funding.ts'
import type { Order } from './order.ts'

/** Another order of the same invoice is paid: this one takes no money any more, unless it has some already. */
export function superseded(order: Order, by: string): readonly Fact[] {
  if (order.supersededBy !== undefined || !isUnpaid(order)) return []
  const isOpen = order.status === 'PENDING' || order.status === 'AWAITING_PAYMENT'
  return [{ type: 'superseded', by }, ...(isOpen ? [{ type: 'became', status: 'EXPIRED' } as const] : [])]
}
