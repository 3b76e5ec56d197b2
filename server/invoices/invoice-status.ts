import type { InvoiceStatus } from '../../src/wire/invoice.ts'
import { isUnpaid } from '../orders/model/funding.ts'
import type { Order } from '../orders/model/order.ts'
import type { Invoice } from './invoice-queries.ts'

/** Returns the order that the invoice's page shows: the first that has money and is not superseded, otherwise the newest. */
export const orderInForce = (orders: readonly Order[]): Order | undefined =>
  orders.find((order) => order.supersededBy === undefined && !isUnpaid(order)) ?? orders.at(-1)

/** Nothing stores an invoice's status: it follows from what the merchant did with the invoice, from its orders, and from the date. */
export function invoiceStatus(
  { publishedAt, archivedAt, data }: Pick<Invoice, 'publishedAt' | 'archivedAt' | 'data'>,
  orders: readonly Order[],
  now: number,
): InvoiceStatus {
  const order = orderInForce(orders)
  if (!publishedAt || !order) return 'draft'
  if (orders.some(({ status }) => status === 'COMPLETED')) return 'paid'
  switch (order.status) {
    case 'AWAITING_CONFIRMATION':
    case 'OPTIMISTIC_CONFIRMED':
    case 'EXECUTING_ORDER':
    // The money is here, and the merchant has to decide what becomes of it.
    case 'FAILED':
      return 'processing'
    case 'REFUNDED':
      return 'refunded'
    case 'PARTIAL_PAYMENT':
      return 'partly_paid'
    case 'PENDING':
    case 'AWAITING_PAYMENT':
    case 'EXPIRED':
      if (hasMoney(order)) return 'partly_paid'
      if (archivedAt) return 'closed'
      return isPast(data.invoice.due_date, now) ? 'overdue' : 'open'
    case 'COMPLETED':
      return 'paid'
    default:
      return order.status satisfies never
  }
}

/** A signed payment that is in flight is a claim, and not money yet. */
const hasMoney = (order: Order): boolean => !isUnpaid({ ...order, claimedQuote: undefined })

/** A due date has no time zone, so it ends when its day has ended everywhere, which is last at UTC−12. */
const isPast = (dueDate: string, now: number): boolean => now >= Date.parse(dueDate) + 36 * 3_600_000
