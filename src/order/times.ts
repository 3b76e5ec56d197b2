import type { OrderRead } from '../wire/order-read.ts'

/** Milliseconds, or undefined for what is no date. */
export const parseTime = (text: string | undefined): number | undefined => {
  const ms = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** Until when the price is held. */
export const deadlineOf = (order: OrderRead): number | undefined => parseTime(order.payment?.expires_at)

/** The deadline once it is over, and 0 before. */
export const passedDeadline = (order: OrderRead, now: number): number => {
  const until = deadlineOf(order)
  return until !== undefined && now >= until ? until : 0
}
