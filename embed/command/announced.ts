import type { OrderEvent } from './read-event.ts'

/** So many orders are remembered, the newest of them. */
const mostOrders = 10_000

/**
 * Sockets are also notified of progress, which repeats the order's status or precedes it (OPTIMISTIC_CONFIRMED). Webhooks are notified of each
 * status once. Returns whether a webhook would be notified of an event, given the earlier events of its order.
 */
export function announcements(): (event: OrderEvent) => boolean {
  const seen = new Map<string, string>()
  return ({ event, orderId, status }) => {
    if (status === 'OPTIMISTIC_CONFIRMED') return false
    const announced = `${event} ${status}`
    const isNew = seen.get(orderId) !== announced
    seen.delete(orderId)
    seen.set(orderId, announced)
    const [oldest] = seen.keys()
    if (seen.size > mostOrders && oldest !== undefined) seen.delete(oldest)
    return isNew
  }
}
