import type { DueDelivery } from './deliveries.ts'

export interface DeliveryLimits {
  /** How many deliveries are under way at once, probes of silent endpoints aside. */
  readonly places: number
  readonly perOrganization: number
  readonly perWebhook: number
  /** Of an organisation's places, those for endpoints of which it is not known that they answer; each has one at a time. */
  readonly unproven: number
  readonly probes: number
  readonly probesPerOrganization: number
  /** Of bodies in memory. */
  readonly bytes: number
}

type Candidate = Pick<DueDelivery, 'webhookId' | 'organizationId' | 'endpoint' | 'bytes'>

/**
 * Which of the due deliveries are started, beside those that are under way. Places go to whichever organisation has the fewest, and within it to
 * the endpoint with the fewest. The fewer places are free, the fewer one organisation may have (a quarter of what is free), so that those who
 * take all they can leave some to whoever comes next. `due` is in the order in which deliveries are due, which each endpoint keeps.
 */
export function pickDeliveries<T extends Candidate>(due: readonly T[], underWay: readonly Candidate[], limits: DeliveryLimits): T[] {
  const tally = createTally()
  for (const candidate of underWay) tally.add(candidate)
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
  places: number
  unproven: number
  probes: number
}

function createTally() {
  const all = { places: 0, unproven: 0, probes: 0, bytes: 0 }
  const organizations = new Map<string, Counts>()
  const webhooks = new Map<string, number>()
  const ofOrganization = ({ organizationId }: Candidate): Counts =>
    organizations.get(organizationId) ?? { places: 0, unproven: 0, probes: 0 }
  const ofWebhook = ({ webhookId }: Candidate): number => webhooks.get(webhookId) ?? 0
  const total = ({ places, probes }: Counts): number => places + probes
  return {
    add(candidate: Candidate): void {
      const mine = { ...ofOrganization(candidate) }
      for (const counts of [mine, all]) {
        if (candidate.endpoint === 'silent') counts.probes++
        else counts.places++
        if (candidate.endpoint === 'unproven') counts.unproven++
      }
      all.bytes += candidate.bytes
      organizations.set(candidate.organizationId, mine)
      webhooks.set(candidate.webhookId, ofWebhook(candidate) + 1)
    },
    fits(candidate: Candidate, limits: DeliveryLimits): boolean {
      // A body that is larger than all of it goes alone.
      if (total(all) > 0 && all.bytes + candidate.bytes > limits.bytes) return false
      const mine = ofOrganization(candidate)
      if (candidate.endpoint === 'silent') return all.probes < limits.probes && mine.probes < limits.probesPerOrganization
      const free = limits.places - all.places
      return (
        free > 0 &&
        mine.places < Math.min(limits.perOrganization, Math.max(1, Math.floor(free / 4))) &&
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
