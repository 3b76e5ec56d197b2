import type { LogEvent } from './log.ts'

export interface Listener {
  send(frame: Buffer): void
}

/** Who hears what: listeners by order and by organisation. One frame is made per event and the same bytes go to everyone. */
export interface Hub {
  add(topic: string, listener: Listener): void
  remove(topic: string, listener: Listener): void
  publish(events: readonly LogEvent[]): void
  close(): void
}

export const orderTopic = (orderId: string): string => `order ${orderId}`
export const organizationTopic = (organizationId: string): string => `organization ${organizationId}`

const progressEveryMs = 1_000

interface Progress {
  sentAt: number
  waiting?: { event: LogEvent; timer: NodeJS.Timeout }
}

export const createHub = (): Hub => {
  const listeners = new Map<string, Set<Listener>>()
  const progress = new Map<string, Progress>()

  const send = (event: LogEvent) => {
    const byOrder = listeners.get(orderTopic(event.orderId))
    const byOrganization = listeners.get(organizationTopic(event.organizationId))
    if (!byOrder && !byOrganization) return
    const frame = Buffer.from(`{"type":"event","data":${event.body}}`)
    byOrder?.forEach((listener) => listener.send(frame))
    byOrganization?.forEach((listener) => byOrder?.has(listener) || listener.send(frame))
  }

  const forget = (orderId: string) => {
    clearTimeout(progress.get(orderId)?.waiting?.timer)
    progress.delete(orderId)
  }

  /** Progress is told once a second per order at most: the newest waits, and anything louder replaces it. */
  const sendProgress = (event: LogEvent) => {
    const state = progress.get(event.orderId)
    const now = performance.now()
    if (!state || now - state.sentAt >= progressEveryMs) {
      forget(event.orderId)
      progress.set(event.orderId, { sentAt: now })
      setTimeout(() => {
        const current = progress.get(event.orderId)
        if (current && !current.waiting && performance.now() - current.sentAt >= progressEveryMs) progress.delete(event.orderId)
      }, progressEveryMs + 50).unref()
      send(event)
      return
    }
    clearTimeout(state.waiting?.timer)
    const timer = setTimeout(
      () => {
        progress.set(event.orderId, { sentAt: performance.now() })
        send(event)
      },
      state.sentAt + progressEveryMs - now,
    )
    state.waiting = { event, timer: timer.unref() }
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
          forget(event.orderId)
          send(event)
        }
      }
    },
    close() {
      for (const orderId of [...progress.keys()]) forget(orderId)
      listeners.clear()
    },
  }
}
