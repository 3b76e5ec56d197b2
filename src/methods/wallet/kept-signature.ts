/**
 * A signature that is kept until the service has decided on it. A retry or a reload sends the same one, so that the wallet is not asked
 * again while it is valid. It is also kept in memory, because session storage may throw.
 */
export interface Kept {
  readonly header: string
  /** Unix milliseconds by the service's clock. */
  readonly until: number
  readonly from: string
}

const inMemory = new Map<string, Kept>()
const keyOf = (orderId: string) => `till:x402:${orderId}`
/** The service wants a signature to be valid for a few seconds more. */
const marginMs = 10_000

export const keep = (orderId: string, kept: Kept): void => {
  inMemory.set(orderId, kept)
  try {
    sessionStorage.setItem(keyOf(orderId), JSON.stringify(kept))
  } catch {
    // Storage is forbidden or full, but the page has it in memory until it is reloaded.
  }
}

export const forget = (orderId: string): void => {
  inMemory.delete(orderId)
  try {
    sessionStorage.removeItem(keyOf(orderId))
  } catch {
    // Storage is forbidden, so nothing was written either.
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
