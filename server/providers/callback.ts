import { createHmac, timingSafeEqual } from 'node:crypto'

/** The header is `t=<unix seconds>,v1=<hex>`. The hex is the HMAC-SHA256, with the shared secret, of the time, a dot and the exact body. */
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
  const isAuthentic = timingSafeEqual(mac(secret, time, body), Buffer.from(given, 'hex'))
  return isAuthentic && Math.abs(Math.floor(now / 1000) - Number(time)) <= clockDifferenceSeconds
}

/** A provider does not answer, or answers with something that does not match the contract. */
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

/** A callback is valid, not signed by the provider, or signed but malformed. */
export type CallbackResult<T> =
  | { readonly is: 'valid'; readonly payload: T }
  | { readonly is: 'unsigned' }
  | { readonly is: 'malformed'; readonly message: string }
