import type { OrderRead } from '../wire/order-read.ts'
import { unsignedRecipientOf } from './merchant.ts'

/**
 * Money of this order may need an address to which it can go back, and the merchant, who has to agree to one, has not yet. For an order that anybody
 * could have made there is no merchant to ask.
 */
export const lacksRefundAddress = (order: OrderRead): boolean =>
  order.payment?.refund?.address === undefined && unsignedRecipientOf(order) === undefined

export const hasProposedAddress = (order: OrderRead): boolean => (order.payment?.refund?.proposed ?? []).length > 0

/** The payer has not even proposed one. */
export const asksForRefundAddress = (order: OrderRead): boolean => lacksRefundAddress(order) && !hasProposedAddress(order)
