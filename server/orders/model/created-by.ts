import type { CreatedBy } from '../../../src/wire/order.ts'
import type { Terms } from './order.ts'

/** Older orders record no creator: a SALE was always signed, a REFUND or an invoice's order is ours, and a DEPOSIT counts as unsigned. */
export function createdBy({ createdBy: recorded, mode, invoiceId }: Pick<Terms, 'createdBy' | 'mode' | 'invoiceId'>): CreatedBy {
  if (recorded !== undefined) return recorded
  if (mode === 'DEPOSIT') return 'key'
  return mode === 'SALE' && invoiceId === undefined ? 'signature' : 'service'
}

/** Anybody who read the publishable key from a page can make such an order, so the merchant does not vouch for it. */
export const isUnsigned = (terms: Parameters<typeof createdBy>[0]): boolean => createdBy(terms) === 'key'

/** The sending queue serves unsigned orders after all others. */
export const sendPriority = (terms: Parameters<typeof createdBy>[0]): number => (isUnsigned(terms) ? 1 : 0)
