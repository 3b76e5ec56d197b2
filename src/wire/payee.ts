import type { OrderRead } from './order-read.ts'

type Paid = Pick<OrderRead, 'created_by' | 'fulfillment' | 'organization_name'>

/** Anybody can make such an order who has read the publishable key: the shop's name says nothing about it. */
export const isUnconfirmed = (order: Pick<OrderRead, 'created_by'>): boolean => order.created_by === 'key'

/** The whole address that a stranger named as the receiver. */
export const strangersAddress = (order: Paid): string | undefined => (isUnconfirmed(order) ? order.fulfillment?.recipient : undefined)

/** Who gets the money, in a few letters: the shop, or the ends of the address that a stranger named. Undefined where nobody is said. */
export const payeeOf = (order: Paid): string | undefined => {
  if (!isUnconfirmed(order)) return order.organization_name?.trim() || undefined
  const address = strangersAddress(order)
  return address && address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address
}
