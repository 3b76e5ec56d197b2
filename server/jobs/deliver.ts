import { createHmac } from 'node:crypto'
import type { Logger } from 'pino'
import { together } from '../events/together.ts'
import { outbound } from '../http/outbound.ts'
import type { Sql } from '../store/connect.ts'
import { claimDeliveries, type Delivery, deliveryDone, deliveryFailed } from '../store/deliveries.ts'
import { pause } from './pause.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** After the first try; then daily, until three days have passed. */
const waits = [10 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour] as const
const giveUpAfterMs = 3 * 24 * hour
const mostAtOnce = 32
const mostPerWebhook = 8
/** Under load there is a change every few milliseconds, and most owe nobody anything: a look takes them together. */
const companyMs = 100

export const nextTry = (attempts: number, firstTriedAt: number, now: number, schedule: readonly number[] = waits): number | undefined => {
  const at = now + (schedule[attempts - 1] ?? 24 * hour)
  return at - firstTriedAt > giveUpAfterMs ? undefined : at
}

export const signDelivery = (secrets: readonly string[], body: string): string =>
  secrets.map((secret) => createHmac('sha256', secret).update(body).digest('base64')).join(',')

export interface DeliverParts {
  readonly sql: Sql
  readonly log: Logger
  readonly allowLocal: boolean
  /** Tests shorten the waits; a receiver sees the same order of things. */
  readonly schedule?: readonly number[]
  readonly answerWithinMs?: number
  /** Outlasts an answer: what a killed process had under way is tried again after it. */
  readonly leaseSeconds?: number
}

export interface Deliverer {
  /** There may be something to deliver. */
  wake(): void
  run(signal: AbortSignal): Promise<void>
}

/** Webhooks: at least once, signed, in order while that is reasonable, never more than a few at a time to one receiver. */
export const deliverer = (parts: DeliverParts): Deliverer => {
  const { sql, log, answerWithinMs = 30 * second, leaseSeconds = 60 } = parts
  const running = new Map<Promise<void>, string>()
  let wake = (): void => undefined

  const deliver = async (delivery: Delivery, signal: AbortSignal): Promise<void> => {
    const began = performance.now()
    try {
      const { status } = await outbound({
        url: delivery.url,
        method: 'POST',
        body: delivery.body,
        headers: {
          'content-type': 'application/json',
          'till-webhook-id': delivery.id,
          'till-webhook-signature': signDelivery(delivery.secrets, delivery.body),
          'user-agent': 'Till',
        },
        timeoutMs: answerWithinMs,
        maxBytes: 0,
        allowLocal: parts.allowLocal,
        signal,
      })
      if (status < 200 || status > 299) throw new Error(`the receiver answered ${status}`)
      await deliveryDone(sql, delivery.id)
    } catch (error) {
      if (signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      // By the database's clock, which says when it is due: another machine's may be an hour off.
      const now = delivery.takenAt.getTime() + (performance.now() - began)
      const next = nextTry(delivery.attempts, delivery.firstTriedAt.getTime(), now, parts.schedule)
      await deliveryFailed(sql, delivery.id, message, next === undefined ? undefined : new Date(next))
      log.info(
        { delivery: delivery.id, webhook: delivery.webhookId, attempts: delivery.attempts, error: message },
        next === undefined ? 'a webhook was given up' : 'a webhook will be tried again',
      )
    }
  }

  const start = (delivery: Delivery, signal: AbortSignal) => {
    const work = deliver(delivery, signal)
      .catch((error: unknown) => log.warn({ err: error }, 'a delivery could not be written down'))
      .finally(() => {
        running.delete(work)
        wake()
      })
    running.set(work, delivery.webhookId)
  }

  const runningByWebhook = (): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const id of running.values()) counts.set(id, (counts.get(id) ?? 0) + 1)
    return counts
  }

  return {
    wake: together(companyMs, () => wake()),
    async run(signal) {
      const sending = new AbortController()
      while (!signal.aborted) {
        let again = false
        const woken = new Promise<void>((resolve) => {
          wake = () => {
            again = true
            resolve()
          }
        })
        try {
          if (running.size < mostAtOnce) {
            const claimed = await claimDeliveries(sql, {
              total: mostAtOnce - running.size,
              perWebhook: mostPerWebhook,
              running: runningByWebhook(),
              leaseSeconds,
            })
            for (const delivery of claimed) start(delivery, sending.signal)
            if (claimed.length > 0) continue
          }
        } catch (error) {
          if (!signal.aborted) log.warn({ err: error }, 'due webhooks cannot be read; trying again')
        }
        if (!again) await Promise.race([woken, pause(500, signal)])
      }
      // What is under way may finish; what a receiver keeps waiting is sent again by the next process.
      await Promise.race([Promise.all(running.keys()), pause(3_000)])
      sending.abort()
      await Promise.all(running.keys())
    },
  }
}
