/**
 * This client signs API calls and verifies webhooks for a merchant's server. It needs only `fetch` and WebCrypto, which Node 20, Deno, Bun
 * and edge runtimes have. Never use it in a page, because that would publish the API secret.
 */
export interface ServerOptions {
  readonly apiKey: string
  readonly apiSecret: string
  /** This is the API's base URL, for example `https://pay.example/v3`. */
  readonly baseUrl: string
  readonly fetch?: typeof fetch
  /** Returns milliseconds since 1970. The default is `Date.now`. */
  readonly clock?: () => number
}

export type OrderStatus =
  | 'PENDING'
  | 'AWAITING_PAYMENT'
  | 'AWAITING_CONFIRMATION'
  | 'OPTIMISTIC_CONFIRMED'
  | 'PARTIAL_PAYMENT'
  | 'EXECUTING_ORDER'
  | 'COMPLETED'
  | 'EXPIRED'
  | 'FAILED'
  | 'REFUNDED'

/** Only the most important members have types here. The API reference lists all of them. */
export interface Order {
  readonly id: string
  readonly mode: string
  /** New statuses may be added, so treat an unknown one as "not yet". */
  readonly status: OrderStatus | (string & {})
  readonly hosted_url: string
  /** With `key` the order may come from anybody, so ship nothing for it. Services other than Till leave this member out. */
  readonly created_by?: 'signature' | 'key' | 'service'
  /** This is the amount that was requested, which never changes. `unit` is a fiat unit or the id of a currency. */
  readonly price?: { readonly amount: string; readonly unit: string }
  /** The money goes to `recipient`. Compare it with your own list of addresses. */
  readonly fulfillment?: { readonly recipient: string; readonly [more: string]: unknown }
  readonly created_at: string
  /** Each change increases it, so ignore a snapshot that is older than the one you have. */
  readonly updated_at: string
  readonly [more: string]: unknown
}

export interface Item {
  readonly name: string
  readonly description?: string
  readonly image?: string
  readonly quantity: number
  readonly unit_price: number
  readonly currency: string
}

export interface NewOrder {
  readonly mode: 'SALE' | 'DEPOSIT'
  /** This is a decimal string, because a float cannot hold every amount exactly. */
  readonly amount: string
  readonly fiat_unit?: string
  readonly currency?: { readonly chain_id: number; readonly address: string | null }
  readonly recipient?: string
  readonly metadata?: { readonly reference?: string; readonly items?: readonly Item[]; readonly [more: string]: unknown }
  readonly settings?: {
    readonly card_payments?: boolean
    readonly hide_footer?: boolean
    readonly logo_url?: string
    readonly theme_color?: string
    readonly return_url?: string
    /** Only these origins may embed the order, for example `https://shop.example`. */
    readonly embed_origins?: readonly string[]
  }
}

export interface NewRefund {
  readonly amount: string
  readonly recipient?: string
  readonly metadata?: object
}

export interface Invoice {
  readonly id: string
  readonly payment_url?: string
  readonly [more: string]: unknown
}

export interface WebhookEvent {
  readonly event: string
  readonly delivered_at: string
  readonly order: Order
}

/** The API returned an error. `retryAfter` is in seconds. */
export class TillError extends Error {
  override readonly name = 'TillError'
  constructor(
    readonly status: number,
    message: string,
    readonly details: unknown,
    readonly retryAfter: number | undefined,
  ) {
    super(message)
  }
}

export interface CallOptions {
  /** Calls with the same key create only one object within 24 hours. Each call has a random key by default, so pass your own to retry. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export interface TillServer {
  createOrder(order: NewOrder, options?: CallOptions): Promise<Order>
  getOrder(id: string, options?: CallOptions): Promise<Order>
  /** A refund is an order of its own, so this returns a new order of mode REFUND. */
  refundOrder(id: string, refund: NewRefund, options?: CallOptions): Promise<Order>
  /** Creates an invoice and publishes it. If `invoice` is `{ id }` of a draft, it publishes that draft. */
  createInvoice(invoice: object, options?: CallOptions): Promise<Invoice>
  /** Makes any other call whose signature does not cover the body. `path` starts after `/v3`, for example `/webhooks`. */
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object, options?: CallOptions): Promise<unknown>
}

export const createTill = ({ apiKey, apiSecret, baseUrl, fetch: send = fetch, clock = Date.now }: ServerOptions): TillServer => {
  const base = baseUrl.replace(/\/+$/, '')
  const call: TillServer['call'] = async (method, path, body, { idempotencyKey, signal } = {}) => {
    const timestamp = Math.floor(clock() / 1000)
    const signature = hex(await mac(apiSecret, `${method}${path.split('?')[0]}${timestamp}`))
    const response = await send(base + path, {
      method,
      signal,
      redirect: 'error',
      headers: {
        authorization: apiKey,
        'authorization-signature': `APIKey=${apiKey},signature=${signature},timestamp=${timestamp}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...(method === 'POST' ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
      },
      body: body && JSON.stringify(body),
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.ok) return answer
    const { message, details } = (answer ?? {}) as { message?: string; details?: unknown }
    const wait = Number(response.headers.get('retry-after'))
    throw new TillError(response.status, message ?? `The API answered ${response.status}.`, details, wait > 0 ? wait : undefined)
  }
  const order = (answer: Promise<unknown>) => answer as Promise<Order>
  return {
    call,
    createOrder: (body, options) => order(call('POST', '/orders', body, options)),
    getOrder: (id, options) => order(call('GET', `/orders/${encodeURIComponent(id)}`, undefined, options)),
    refundOrder: (id, body, options) => order(call('POST', `/orders/${encodeURIComponent(id)}/refund`, body, options)),
    createInvoice: (body, options) => call('POST', '/invoices', body, options) as Promise<Invoice>,
  }
}

/**
 * Returns the event if it was signed with this secret, and null otherwise. `rawBody` must be the exact bytes of the request, because a body
 * that was parsed and serialised again may differ. A match proves that Till sent the event, not that the order is yours, so compare id,
 * price and recipient with what your server stored. While a secret is rotated there are two signatures, and one match is enough.
 */
export const verifyWebhook = async (
  rawBody: string | Uint8Array,
  header: string | readonly string[] | null | undefined,
  secret: string,
): Promise<WebhookEvent | null> => {
  const bytes = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : new Uint8Array(rawBody)
  const key = await keyOf(secret)
  for (const part of [header].flat().join(',').split(',')) {
    const signature = fromBase64(part.trim())
    // `verify` compares in constant time, so its duration reveals nothing about the right signature.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, bytes)))
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
  }
  return null
}

const keyOf = (secret: string) =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])

const mac = async (secret: string, text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret), new TextEncoder().encode(text)))

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
