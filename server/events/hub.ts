import type { LogEvent } from './log.ts'

export interface Listener {
  send(frame: Buffer): void
}

/** Publishes events to subscribers of an order or an organisation. An event is encoded once, and all its subscribers share the bytes. */
export interface Hub {
  add(topic: string, listener: Listener): void
  remove(topic: string, listener: Listener): void
  publish(events: readonly LogEvent[]): void
  close(): void
}

export const orderTopic = (orderId: string): string => `order ${orderId}`
/** Covers an organisation's orders. Those that were created with the publishable key alone are covered only with `unsigned`. */
export const organizationTopic = (organizationId: string, unsigned: boolean): string =>
  `organization ${organizationId}${unsigned ? ' unsigned' : ''}`

const progressEveryMs = 1_000

interface Progress {
  readonly sentAt: number
  waiting?: { event: LogEvent; timer: NodeJS.Timeout }
}

export function createHub(): Hub {
  const listeners = new Map<string, Set<Listener>>()
  const progress = new Map<string, Progress>()

  const send = (event: LogEvent) => {
    const byOrder = listeners.get(orderTopic(event.orderId))
    const topics = [organizationTopic(event.organizationId, true)]
    if (!event.unsigned) topics.push(organizationTopic(event.organizationId, false))
    const byOrganization = topics.flatMap((topic) => listeners.get(topic) ?? [])
    if (!byOrder && byOrganization.length === 0) return
    const frame = Buffer.from(`{"type":"event","data":${event.body}}`)
    byOrder?.forEach((listener) => listener.send(frame))
    for (const subscribers of byOrganization) subscribers.forEach((listener) => byOrder?.has(listener) || listener.send(frame))
  }

  /** Drops an order's pending progress event, since a newer event replaces it. `sentAt` stays, to keep the minimum interval. */
  const supersede = (orderId: string) => {
    const state = progress.get(orderId)
    clearTimeout(state?.waiting?.timer)
    if (state) state.waiting = undefined
  }

  /** Sends socket-only events at most once a second per order. Until then the newest one waits, and any later event replaces it. */
  const sendProgress = (event: LogEvent) => {
    const state = progress.get(event.orderId)
    const now = performance.now()
    if (!state || now - state.sentAt >= progressEveryMs) return sendNow(event)
    clearTimeout(state.waiting?.timer)
    state.waiting = { event, timer: setTimeout(() => sendNow(event), state.sentAt + progressEveryMs - now).unref() }
  }

  const sendNow = (event: LogEvent) => {
    supersede(event.orderId)
    const state = { sentAt: performance.now() }
    progress.set(event.orderId, state)
    setTimeout(
      () => progress.get(event.orderId) === state && !progress.get(event.orderId)?.waiting && progress.delete(event.orderId),
      progressEveryMs + 50,
    ).unref()
    send(event)
  }

  return {
    add(topic, listener) {
      const set = listeners.get(topic)
      if (set) set.add(listener)
      else listeners.set(topic, new Set([listener]))
    },
    remove(topic, listener) {
      const set = listeners.get(topic)
      set?.delete(listener)
      if (set?.size === 0) listeners.delete(topic)
    },
    publish(events) {
      for (const event of events) {
        if (event.socketOnly) {
          sendProgress(event)
        } else {
          supersede(event.orderId)
          send(event)
        }
      }
    },
    close() {
      for (const orderId of progress.keys()) supersede(orderId)
      progress.clear()
      listeners.clear()
    },
  }
}
