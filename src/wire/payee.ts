import type { OrderRead } from './order-read.ts'

/**
 * Who gets the money, in a few letters: the shop; or the ends of the address, of an order that anybody can make who has read the
 * publishable key, which says no name. Undefined where nobody is said.
 */
export const payeeOf = (order: Pick<OrderRead, 'created_by' | 'fulfillment' | 'organization_name'>): string | undefined =>
  order.organization_name?.trim() ||
  (order.created_by === 'key' ? order.fulfillment?.recipient?.replace(/^(.{6}).+(.{4})$/, '$1…$2') : undefined)
