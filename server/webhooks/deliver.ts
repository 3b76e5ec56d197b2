import type { Logger } from 'pino'
import { throttle } from '../lib/throttle.ts'
import { wakeable } from '../lib/wakeable.ts'
import type { Sql } from '../database/connect.ts'
import { claimDeliveries, type Delivery, deliveryDone, deliveryFailed, dueDeliveries } from './deliveries.ts'
import { countMissingResponse, endpointAccepted, endpointNotCalled, endpointRefused } from './endpoint-health.ts'
import { type Outcome, sendDelivery } from './send-delivery.ts'
import { pause } from '../lib/pause.ts'
import { type DeliveryLimits, pickDeliveries } from './pick-deliveries.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** After these delays a delivery is retried daily, until `giveUpAfterMs` has passed. */
const retryDelays = [10 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour] as const
const giveUpAfterMs = 3 * 24 * hour
/**
 * These limits are per process. A receiver may take 30 s to respond, so concurrent requests are scarce. One endpoint gets at most half of
 * its organisation's requests, so that another always has some, and only one until it has responded.
 */
const limits: DeliveryLimits = {
  inFlight: 64,
  perOrganization: 8,
  perWebhook: 4,
  unproven: 4,
  probes: 16,
  probesPerOrganization: 2,
  bytes: 32 * 1_048_576,
}
/** Under load there is a change every few milliseconds, and most cause no delivery, so one query covers all within this time. */
const wakeEveryMs = 100
/** One query refills all slots that become free within this time. */
const pickEveryMs = 20

export function nextAttemptAt(
  attempts: number,
  firstTriedAt: number,
  now: number,
  schedule: readonly number[] = retryDelays,
): number | undefined {
  const at = now + (schedule[attempts - 1] ?? 24 * hour)
  return at - firstTriedAt > giveUpAfterMs ? undefined : at
}

export interface DeliverParts {
  readonly sql: Sql
  readonly log: Logger
  readonly allowLocal: boolean
  readonly schedule?: readonly number[]
  readonly answerWithinMs?: number
  /** This must be longer than a response may take. A delivery that a killed process had in flight is retried after it. */
  readonly leaseSeconds?: number
}

export interface Deliverer {
  /** Looks for due deliveries now and not only at the next interval. */
  wake(): void
  run(signal: AbortSignal): Promise<void>
}

/** Delivers at least once, or until it gives up. An order's events arrive in order, unless one has failed three times. */
export function deliverer(parts: DeliverParts): Deliverer {
  const { sql, log, answerWithinMs = 30 * second, leaseSeconds = 60 } = parts
  const running = new Map<Promise<void>, Delivery>()
  const sleeper = wakeable()

  const noteHealth = async ({ webhookId, organizationId }: Delivery, result: Outcome['result']): Promise<void> => {
    switch (result) {
      case 'accepted':
        return endpointAccepted(sql, webhookId)
      case 'refused':
        return endpointRefused(sql, webhookId)
      case 'not_called':
        return endpointNotCalled(sql, webhookId)
      case 'silent':
        if (await countMissingResponse(sql, webhookId))
          log.warn(
            { webhook: webhookId, organization: organizationId },
            'a webhook endpoint does not answer; probing it with one delivery at a time',
          )
        return
      case 'aborted':
        return
      default:
        return result satisfies never
    }
  }

  const deliver = async (delivery: Delivery, signal: AbortSignal): Promise<void> => {
    const { id, webhookId, attempts } = delivery
    const { result, ...outcome } = await sendDelivery(delivery, { timeoutMs: answerWithinMs, allowLocal: parts.allowLocal, signal })
    if (result === 'aborted') return
    const attempt = { at: delivery.claimedAt.toISOString(), ...outcome }
    if (result === 'accepted') {
      await Promise.all([noteHealth(delivery, result), deliveryDone(sql, id, attempt)])
      return
    }
    await noteHealth(delivery, result)
    // The time is the database's, since its clock decides when the delivery is due. Another machine's clock may be an hour off.
    const next = nextAttemptAt(attempts, delivery.firstTriedAt.getTime(), delivery.claimedAt.getTime() + outcome.ms, parts.schedule)
    await deliveryFailed(sql, id, attempt, next === undefined ? undefined : new Date(next))
    log.info(
      { delivery: id, webhook: webhookId, attempts, error: outcome.error },
      next === undefined ? 'cannot deliver a webhook; giving up' : 'cannot deliver a webhook; retrying later',
    )
  }

  const start = (delivery: Delivery, signal: AbortSignal) => {
    const work = deliver(delivery, signal)
      .catch((error: unknown) =>
        log.warn({ err: error, delivery: delivery.id }, 'cannot store the outcome of a delivery; it will be sent again'),
      )
      .finally(() => {
        running.delete(work)
        freed()
      })
    running.set(work, delivery)
  }

  /** Returns true when another process claimed some of the chosen deliveries first, since there may be more. */
  const startDue = async (signal: AbortSignal): Promise<boolean> => {
    const chosen = pickDeliveries(await dueDeliveries(sql, limits.perWebhook), [...running.values()], limits)
    if (chosen.length === 0) return false
    const claimed = await claimDeliveries(sql, chosen, leaseSeconds)
    for (const delivery of claimed) start(delivery, signal)
    return claimed.length < chosen.length
  }

  const freed = throttle(pickEveryMs, sleeper.wake)

  return {
    wake: throttle(wakeEveryMs, sleeper.wake),
    async run(signal) {
      const sending = new AbortController()
      while (!signal.aborted) {
        try {
          if (await startDue(sending.signal)) sleeper.wake()
        } catch (error) {
          if (!signal.aborted) log.warn({ err: error }, 'cannot read due webhooks; retrying')
        }
        await sleeper.sleep(500, signal)
      }
      // Requests in flight get 3 s to finish. The rest are aborted, and sent again by any process once their leases end.
      await Promise.race([Promise.all(running.keys()), pause(3_000)])
      sending.abort()
      await Promise.all(running.keys())
    },
  }
}
