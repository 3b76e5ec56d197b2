import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * How a provider proves that a callback is its own: `Till-Provider-Signature: t=<unix seconds>,v1=<hex>`, an HMAC-SHA256 with the shared
 * secret over the time, a dot and the exact bytes of the body.
 */
export const callbackHeader = 'till-provider-signature'

const shape = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/
const clockDifferenceSeconds = 300

const mac = (secret: string, time: string, body: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest()

export function signCallback(secret: string, body: Uint8Array, now: number): string {
  const time = String(Math.floor(now / 1000))
  return `t=${time},v1=${mac(secret, time, body).toString('hex')}`
}

export function isSignedCallback(secret: string, header: string | undefined, body: Uint8Array, now: number): boolean {
  const [, time = '', given = ''] = shape.exec(header ?? '') ?? []
  if (time === '') return false
  const right = timingSafeEqual(mac(secret, time, body), Buffer.from(given, 'hex'))
  return right && Math.abs(Math.floor(now / 1000) - Number(time)) <= clockDifferenceSeconds
}

/** A provider that does not answer, or with something that is no answer. */
export class ProviderUnavailable extends Error {
  readonly code = 'provider_unavailable'
  constructor(
    readonly provider: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`${provider}: ${message}`, options)
    this.name = 'ProviderUnavailable'
  }
}

/** What a callback is: told by the provider, not signed by it, or signed and not understood. */
export type CallbackResult<T> =
  | { readonly is: 'told'; readonly news: T }
  | { readonly is: 'unsigned' }
  | { readonly is: 'malformed'; readonly message: string }
