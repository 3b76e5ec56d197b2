import type { OrderRead } from './order-read.ts'

type Named = Pick<OrderRead, 'created_by' | 'fulfillment' | 'organization_name'>

/** The address that gets the money of an order which anybody can have made who has read the publishable key; undefined for any other. */
export const strangerOf = (order: Named): string | undefined => (order.created_by === 'key' ? order.fulfillment?.recipient : undefined)

/** Who gets the money, in a few letters: the shop, or the ends of a stranger's address. Undefined where nobody is named. */
export const payeeOf = (order: Named): string | undefined =>
  order.organization_name?.trim() || strangerOf(order)?.replace(/^(.{6}).+(.{4})$/, '$1…$2')
