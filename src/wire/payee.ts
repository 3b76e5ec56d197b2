import type { OrderRead } from './order-read.ts'

type Named = Pick<OrderRead, 'created_by' | 'fulfillment' | 'organization_name'>

/** If `created_by` is `key`, the order may come from anybody, so its payee is known only by address. Otherwise it returns undefined. */
export const unsignedRecipientOf = (order: Named): string | undefined =>
  order.created_by === 'key' ? order.fulfillment?.recipient : undefined

/** Returns the shop's name, or the shortened address of an unsigned order's recipient. Undefined if the order names neither. */
export const payeeOf = (order: Named): string | undefined =>
  order.organization_name?.trim() || unsignedRecipientOf(order)?.replace(/^(.{6}).+(.{4})$/, '$1…$2')
