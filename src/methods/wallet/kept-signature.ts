/**
 * A signature is stored until the service has accepted or refused it. A retry, even after a reload, sends the same signature, so that the
 * payer need not sign again while it is valid. Session storage may throw, so memory holds a copy.
 */
export interface Kept {
  readonly header: string
  /** The signature expires at this time, in unix milliseconds by the service's clock. */
  readonly until: number
  readonly from: string
}

const inMemory = new Map<string, Kept>()
const keyOf = (orderId: string) => `till:x402:${orderId}`
/** The service refuses a signature that is about to expire, so one with less time left than this is not sent again. */
const marginMs = 10_000

export const keep = (orderId: string, kept: Kept): void => {
  inMemory.set(orderId, kept)
  try {
    sessionStorage.setItem(keyOf(orderId), JSON.stringify(kept))
  } catch {
    // Storage is forbidden or full. The copy in memory lasts until the page is reloaded.
  }
}

export const forget = (orderId: string): void => {
  inMemory.delete(orderId)
  try {
    sessionStorage.removeItem(keyOf(orderId))
  } catch {
    // Storage is forbidden, so nothing was stored there in the first place.
  }
}

export const keptFor = (orderId: string, now: number): Kept | undefined => {
  const kept = inMemory.get(orderId) ?? stored(orderId)
  return kept && kept.until - marginMs > now ? kept : undefined
}

const stored = (orderId: string): Kept | undefined => {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(keyOf(orderId)) ?? 'null')
    if (typeof value !== 'object' || value === null || !('header' in value) || !('until' in value) || !('from' in value)) return undefined
    const { header, until, from } = value
    return typeof header === 'string' && typeof until === 'number' && typeof from === 'string' ? { header, until, from } : undefined
  } catch {
    return undefined
  }
}
