import type { DueDelivery } from './deliveries.ts'

export interface DeliveryLimits {
  /** Limits deliveries in flight, except for probes of silent endpoints. */
  readonly inFlight: number
  readonly perOrganization: number
  readonly perWebhook: number
  /** Limits an organisation's deliveries in flight to unproven endpoints, each of which gets one at a time. */
  readonly unproven: number
  readonly probes: number
  readonly probesPerOrganization: number
  /** Limits the bytes of all bodies in memory. */
  readonly bytes: number
}

type Candidate = Pick<DueDelivery, 'webhookId' | 'organizationId' | 'endpoint' | 'bytes'>

/**
 * Picks which due deliveries to start, given those in flight. A slot goes to the organisation that has the fewest in flight, and within it
 * to the endpoint with the fewest. An organisation may have a quarter as many in flight as slots are free, but always one, so that
 * even the busiest leaves some to others. `due` must be in the order in which deliveries are due, which each endpoint keeps.
 */
export function pickDeliveries<T extends Candidate>(due: readonly T[], inFlight: readonly Candidate[], limits: DeliveryLimits): T[] {
  const tally = createTally()
  for (const candidate of inFlight) tally.add(candidate)
  const queues = new Map<string, T[]>()
  for (const delivery of due) queues.set(delivery.webhookId, [...(queues.get(delivery.webhookId) ?? []), delivery])
  const chosen: T[] = []
  for (;;) {
    let next: T | undefined
    for (const [first] of queues.values()) if (first && tally.fits(first, limits) && (!next || tally.isBefore(first, next))) next = first
    if (!next) return chosen
    queues.get(next.webhookId)?.shift()
    tally.add(next)
    chosen.push(next)
  }
}

interface Counts {
  inFlight: number
  unproven: number
  probes: number
}

function createTally() {
  const all = { inFlight: 0, unproven: 0, probes: 0, bytes: 0 }
  const organizations = new Map<string, Counts>()
  const webhooks = new Map<string, number>()
  const ofOrganization = ({ organizationId }: Candidate): Counts =>
    organizations.get(organizationId) ?? { inFlight: 0, unproven: 0, probes: 0 }
  const ofWebhook = ({ webhookId }: Candidate): number => webhooks.get(webhookId) ?? 0
  const total = ({ inFlight, probes }: Counts): number => inFlight + probes
  return {
    add(candidate: Candidate): void {
      const mine = { ...ofOrganization(candidate) }
      for (const counts of [mine, all]) {
        if (candidate.endpoint === 'silent') counts.probes++
        else counts.inFlight++
        if (candidate.endpoint === 'unproven') counts.unproven++
      }
      all.bytes += candidate.bytes
      organizations.set(candidate.organizationId, mine)
      webhooks.set(candidate.webhookId, ofWebhook(candidate) + 1)
    },
    fits(candidate: Candidate, limits: DeliveryLimits): boolean {
      // A body that is larger than the whole limit is sent alone.
      if (total(all) > 0 && all.bytes + candidate.bytes > limits.bytes) return false
      const mine = ofOrganization(candidate)
      if (candidate.endpoint === 'silent') return all.probes < limits.probes && mine.probes < limits.probesPerOrganization
      const free = limits.inFlight - all.inFlight
      return (
        free > 0 &&
        mine.inFlight < Math.min(limits.perOrganization, Math.max(1, Math.floor(free / 4))) &&
        (candidate.endpoint === 'answers'
          ? ofWebhook(candidate) < limits.perWebhook
          : ofWebhook(candidate) === 0 && mine.unproven < limits.unproven)
      )
    },
    isBefore(first: Candidate, other: Candidate): boolean {
      const difference = total(ofOrganization(first)) - total(ofOrganization(other))
      return difference < 0 || (difference === 0 && ofWebhook(first) < ofWebhook(other))
    },
  }
}
