import type { EventEnvelope } from './generated/api.ts'
import { keyOf } from './hmac.ts'

/**
 * `raw_body` and `secret` are mistakes of the receiver's own code. `no_signature` and `wrong_signature` say that Till did not send this, or
 * that the secret is another webhook's. `too_old` and `malformed` are about what was signed.
 */
export type WebhookProblem = 'raw_body' | 'secret' | 'no_signature' | 'wrong_signature' | 'too_old' | 'malformed'

export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly code: WebhookProblem

  constructor(code: WebhookProblem, message: string) {
    super(message)
    this.code = code
  }
}

export type WebhookEvent = EventEnvelope

export type CheckedWebhook =
  | { readonly ok: true; readonly event: WebhookEvent; readonly error?: undefined }
  | { readonly ok: false; readonly error: WebhookError; readonly event?: undefined }

export interface WebhookOptions {
  /** Refuses older events. Till sends an event again for three days, and later if you ask for it, with the time of the event itself. */
  readonly maxAgeSeconds?: number
  /** Returns milliseconds since 1970. The default is `Date.now`. */
  readonly clock?: () => number
}

type Header = string | readonly string[] | null | undefined

const refused = (code: WebhookProblem, message: string): CheckedWebhook => ({ ok: false, error: new WebhookError(code, message) })

const bytesOf = (rawBody: unknown): Uint8Array<ArrayBuffer> | undefined => {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody)
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  return rawBody instanceof Uint8Array ? new Uint8Array(rawBody) : undefined
}

/**
 * Says whether Till sent this event, and what is wrong if it cannot tell. `rawBody` must be the exact bytes of the request, because a body that
 * was parsed and serialised again may differ. A match proves that Till sent the event, not that the order is yours, so compare id, price and
 * recipient with what your server stored. While a secret is rotated there are two signatures, and one match is enough.
 */
export const checkWebhook = async (
  rawBody: string | Uint8Array | ArrayBuffer,
  header: Header,
  secret: string,
  { maxAgeSeconds, clock = Date.now }: WebhookOptions = {},
): Promise<CheckedWebhook> => {
  const bytes = bytesOf(rawBody)
  if (!bytes)
    return refused(
      'raw_body',
      `The raw body is needed, and this is ${rawBody === undefined ? 'undefined' : 'a parsed one'}. The signature covers the bytes as they were sent: ask your framework for them (in Express: express.raw({ type: 'application/json' })).`,
    )
  if (bytes.length === 0) return refused('raw_body', 'The raw body is empty. Something has read it before.')
  if (typeof secret !== 'string' || secret === '')
    return refused(
      'secret',
      'The secret of the webhook is missing. The response that created the webhook had it, and POST /webhooks/{id}/rotate makes another.',
    )
  const signatures = [header].flat().flatMap((part) => (part ? part.split(',') : []))
  if (signatures.length === 0) return refused('no_signature', 'There is no header Till-Webhook-Signature. Whatever sent this is not Till.')
  const key = await keyOf(secret)
  for (const signature of signatures.map(fromBase64)) {
    // `verify` compares in constant time, so its duration reveals nothing about the right signature.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, bytes))) return readEvent(bytes, maxAgeSeconds, clock)
  }
  return refused(
    'wrong_signature',
    'The signature does not fit. This is not from Till, or the secret is that of another webhook, or the body was parsed and serialised again.',
  )
}

/** Returns the event if Till sent it, and throws a `WebhookError` otherwise. `checkWebhook` does the same and throws nothing. */
export const verifyWebhook = async (...given: Parameters<typeof checkWebhook>): Promise<WebhookEvent> => {
  const checked = await checkWebhook(...given)
  if (!checked.ok) throw checked.error
  return checked.event
}

function readEvent(bytes: Uint8Array, maxAgeSeconds: number | undefined, clock: () => number): CheckedWebhook {
  const event = parse(new TextDecoder().decode(bytes))
  if (!event) return refused('malformed', 'The signature fits, but this is no event of Till.')
  const age = Math.round((clock() - Date.parse(event.delivered_at)) / 1_000)
  if (maxAgeSeconds !== undefined && !(age <= maxAgeSeconds))
    return refused('too_old', `The event is ${age} s old, and at most ${maxAgeSeconds} s are allowed here.`)
  return { ok: true, event }
}

function parse(text: string): WebhookEvent | undefined {
  try {
    const event = JSON.parse(text) as Partial<WebhookEvent> | null
    const isEvent = typeof event?.event === 'string' && typeof event.delivered_at === 'string' && typeof event.order?.id === 'string'
    return isEvent ? (event as WebhookEvent) : undefined
  } catch {
    return undefined
  }
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
