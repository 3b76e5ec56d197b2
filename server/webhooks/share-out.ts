import type { DueDelivery } from './deliveries.ts'

export interface Shares {
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

type Place = Pick<DueDelivery, 'webhookId' | 'organizationId' | 'endpoint' | 'bytes'>

/**
 * Which of the due deliveries are started, beside those that are under way. Places go to whichever organisation has the fewest, and within it to
 * the endpoint with the fewest. The fewer places are free, the fewer one organisation may have (a quarter of what is free), so that those who
 * take all they can leave some to whoever comes next. `due` is in the order in which deliveries are due, which each endpoint keeps.
 */
export function shareOut<T extends Place>(due: readonly T[], underWay: readonly Place[], shares: Shares): T[] {
  const tally = createTally()
  for (const place of underWay) tally.add(place)
  const queues = new Map<string, T[]>()
  for (const delivery of due) queues.set(delivery.webhookId, [...(queues.get(delivery.webhookId) ?? []), delivery])
  const chosen: T[] = []
  for (;;) {
    let next: T | undefined
    for (const [first] of queues.values()) if (first && tally.fits(first, shares) && (!next || tally.isBefore(first, next))) next = first
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
  const ofOrganization = ({ organizationId }: Place): Counts => organizations.get(organizationId) ?? { places: 0, unproven: 0, probes: 0 }
  const ofWebhook = ({ webhookId }: Place): number => webhooks.get(webhookId) ?? 0
  const total = ({ places, probes }: Counts): number => places + probes
  return {
    add(place: Place): void {
      const mine = { ...ofOrganization(place) }
      for (const counts of [mine, all]) {
        if (place.endpoint === 'silent') counts.probes++
        else counts.places++
        if (place.endpoint === 'unproven') counts.unproven++
      }
      all.bytes += place.bytes
      organizations.set(place.organizationId, mine)
      webhooks.set(place.webhookId, ofWebhook(place) + 1)
    },
    fits(place: Place, shares: Shares): boolean {
      // A body that is larger than all of it goes alone.
      if (total(all) > 0 && all.bytes + place.bytes > shares.bytes) return false
      const mine = ofOrganization(place)
      if (place.endpoint === 'silent') return all.probes < shares.probes && mine.probes < shares.probesPerOrganization
      const free = shares.places - all.places
      return (
        free > 0 &&
        mine.places < Math.min(shares.perOrganization, Math.max(1, Math.floor(free / 4))) &&
        (place.endpoint === 'answers' ? ofWebhook(place) < shares.perWebhook : ofWebhook(place) === 0 && mine.unproven < shares.unproven)
      )
    },
    isBefore(first: Place, other: Place): boolean {
      const difference = total(ofOrganization(first)) - total(ofOrganization(other))
      return difference < 0 || (difference === 0 && ofWebhook(first) < ofWebhook(other))
    },
  }
}
