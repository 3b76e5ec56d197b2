import type { Context } from 'hono'
import type { Endpoint } from '../../src/wire/endpoint.ts'
import { ApiError } from './api-error.ts'
import type { Limiter } from './limits.ts'
import { isSignedBy, parseSignature, textToSign } from './signature.ts'

/** Authentication needs only these members of an API key. server/organizations looks keys up and implements `Keys`. */
export interface Key {
  readonly id: string
  readonly organizationId: string
  readonly isLive: boolean
  readonly secret: string
  readonly isInternal: boolean
}

export interface Keys {
  find(apiKey: string): Promise<Key | undefined>
  /** Returns those of the keys that are switched on now. It bypasses the cache, which may still contain a key that was switched off. */
  active(apiKeys: readonly string[]): Promise<ReadonlySet<string>>
  /** Records which keys were used since the last call, in one statement however many requests there were. */
  flush(): Promise<void>
}

export interface Caller {
  readonly key: Key
  readonly signed: boolean
}

export interface AccessParts {
  readonly keys: Keys
  readonly clock: () => number
  readonly calls: Limiter
  readonly misses: Limiter
  /** Limits calls of endpoints with `callsExternal`, which query chains and providers, and count as `calls` too. */
  readonly lookups: Limiter
  /** Returns the client's IPv4 address, or the /64 of its IPv6 address. Unsigned calls and wrong guesses are counted by it. */
  readonly addressOf: (c: Context) => string
}

/** Takes one of the caller's lookups where only the call itself shows whether it asks a chain or a provider. */
export type SpendLookup = (c: Context, caller: Caller) => void

/** Every failure has the same message, so that a caller does not learn which part was wrong. */
const unauthorized = () => new ApiError(401, 'The API key or the signature is missing, malformed, expired or wrong.')

/** Signed calls count per key. Every browser has the publishable key, so unsigned calls count per key and IP address. */
export const allowanceOf = ({ addressOf }: AccessParts, c: Context, { key, signed }: Caller): string =>
  signed ? key.id : `${key.id} ${addressOf(c)}`

const tooMany = (seconds: number) =>
  new ApiError(429, `Too many requests. Try again in ${seconds} s.`, undefined, { 'retry-after': String(seconds) })

export function spend(limiter: Limiter, name: string): void {
  const seconds = limiter.take(name)
  if (seconds > 0) throw tooMany(seconds)
}

/** Wrong guesses of ids, keys and signatures have a small allowance of their own, which other calls never use. */
export const countMiss = ({ misses, addressOf }: AccessParts, c: Context): void => spend(misses, addressOf(c))

/** Authenticates a request as its endpoint requires. `body` must be the exact bytes that were sent, since a signature may cover them. */
export async function identify(parts: AccessParts, c: Context, endpoint: Endpoint, path: string, body: Uint8Array): Promise<Caller> {
  const apiKey = c.req.header('authorization') ?? c.req.header('x-api-key')
  const signature = c.req.header('authorization-signature')
  const mustSign = endpoint.auth === 'SIGNED' || endpoint.auth === 'BODY-SIGNED'
  const miss = (): never => {
    countMiss(parts, c)
    throw unauthorized()
  }
  if (apiKey === undefined || apiKey === '' || apiKey.length > 200) return miss()
  const key = await parts.keys.find(apiKey)
  if (!key) return miss()
  if (signature === undefined) {
    if (mustSign) return miss()
    return { key, signed: false }
  }
  const signed = parseSignature(signature)
  // A signature that covers the body may say more than the endpoint requires, such as exactly which refund the merchant wants.
  const accepted = endpoint.auth === 'BODY-SIGNED' ? [body] : endpoint.bodyMayBeSigned ? [undefined, body] : [undefined]
  if (
    !signed ||
    signed.apiKey !== apiKey ||
    !accepted.some((covered) => isSignedBy(key.secret, textToSign(c.req.method, path, signed.timestamp, covered), signed, parts.clock()))
  )
    return miss()
  return { key, signed: true }
}
