import type { OrderRead } from '../wire/order-read.ts'

export { payeeOf, unsignedRecipientOf } from '../wire/payee.ts'
/** Payers quote this reference to the shop, so the shop's own number is better than our id. */
export const referenceOf = (order: OrderRead): string => order.metadata?.reference ?? order.id
