import type { CreatedBy } from '../../../src/wire/order.ts'
import type { Terms } from './order.ts'

/**
 * Who made an order. Orders from before it was noted: a SALE was always signed and a REFUND is the service's own, while a DEPOSIT took
 * the publishable key alone, so it counts as a stranger's.
 */
export function createdBy({ createdBy: noted, mode, invoiceId }: Pick<Terms, 'createdBy' | 'mode' | 'invoiceId'>): CreatedBy {
  if (noted !== undefined) return noted
  if (mode === 'DEPOSIT') return 'key'
  return mode === 'SALE' && invoiceId === undefined ? 'signature' : 'service'
}

/** Made by whoever has read the publishable key off a page: neither the merchant's word nor the merchant's money. */
export const isUnsigned = (terms: Parameters<typeof createdBy>[0]): boolean => createdBy(terms) === 'key'

/** In the sending queue what the merchant signed for comes first. */
export const sendPriority = (terms: Parameters<typeof createdBy>[0]): number => (isUnsigned(terms) ? 1 : 0)
