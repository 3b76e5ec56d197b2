import type { OrderRead } from '../wire/order-read.ts'

/** Returns unix milliseconds, or undefined for a text that is not a date. */
export const parseTime = (text: string | undefined): number | undefined => {
  const ms = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

export const deadlineOf = (order: OrderRead): number | undefined => parseTime(order.payment?.expires_at)

/** Returns the deadline after it has passed and 0 before, so that a signal of it does not change every second. */
export const passedDeadline = (order: OrderRead, now: number): number => {
  const until = deadlineOf(order)
  return until !== undefined && now >= until ? until : 0
}
