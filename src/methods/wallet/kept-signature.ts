import { tabStorage } from './tab-storage.ts'

/** A signature is stored while it may still pay the order. A retry, even after a reload, sends it again instead of asking the payer. */
export interface Kept {
  readonly header: string
  /** The signature expires at this time, in unix milliseconds by the service's clock. */
  readonly until: number
  readonly from: string
}

const keyOf = (orderId: string) => `till:x402:${orderId}`
/** The service refuses a signature that is about to expire, so one with less time left than this is not sent again. */
const marginMs = 10_000

export const keep = (orderId: string, kept: Kept): void => tabStorage.set(keyOf(orderId), JSON.stringify(kept))

export const forget = (orderId: string): void => tabStorage.remove(keyOf(orderId))

export const keptFor = (orderId: string, now: number): Kept | undefined => {
  const kept = parse(tabStorage.get(keyOf(orderId)))
  return kept && kept.until - marginMs > now ? kept : undefined
}

const parse = (text = 'null'): Kept | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('header' in value) || !('until' in value) || !('from' in value)) return undefined
    const { header, until, from } = value
    return typeof header === 'string' && typeof until === 'number' && typeof from === 'string' ? { header, until, from } : undefined
  } catch {
    return undefined
  }
}
