import type { CreatedBy } from '../../../src/wire/order.ts'
import type { Terms } from './order.ts'

/**
 * Who made an order. Orders created before this was recorded: a SALE was always signed and a REFUND is the service's own, while a DEPOSIT
 * took the publishable key alone, so it counts as unsigned.
 */
export function createdBy({ createdBy: recorded, mode, invoiceId }: Pick<Terms, 'createdBy' | 'mode' | 'invoiceId'>): CreatedBy {
  if (recorded !== undefined) return recorded
  if (mode === 'DEPOSIT') return 'key'
  return mode === 'SALE' && invoiceId === undefined ? 'signature' : 'service'
}

/** Made by anybody who has read the publishable key off a page: the merchant does not vouch for it. */
export const isUnsigned = (terms: Parameters<typeof createdBy>[0]): boolean => createdBy(terms) === 'key'

/** The sending queue takes orders that the merchant signed for first. */
export const sendPriority = (terms: Parameters<typeof createdBy>[0]): number => (isUnsigned(terms) ? 1 : 0)
