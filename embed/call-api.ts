import { notTheApi, refusedSignature, unknownPath, unreachable } from './diagnose.ts'
import { hmacHex, sha256Hex } from './hmac.ts'
import { missing, TillError } from './till-error.ts'

export interface ServerOptions {
  readonly apiKey: string
  readonly apiSecret: string
  /** This is the API's base URL, for example `https://pay.example/v3`. */
  readonly baseUrl: string
  readonly fetch?: typeof fetch
  /** Returns milliseconds since 1970. The default is `Date.now`. */
  readonly clock?: () => number
}

export interface CallOptions {
  /** Calls with the same key create only one object within 24 hours. Each call has a random key by default, so pass your own to retry. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** Further headers of the request, as x402 has them. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Request extends CallOptions {
  readonly method: Method
  /** The path follows the base URL, and may have a query. */
  readonly path: string
  readonly body?: object
  /** The signature covers the body too. */
  readonly signsBody?: boolean
}

export type CallApi = (request: Request) => Promise<unknown>

function requireText(name: string, value: unknown): void {
  if (typeof value !== 'string' || value.trim() === '')
    throw missing(`createTill: ${name}`, value, 'Is its environment variable set where this runs?')
  if (value.trim() !== value) throw new TillError('usage', `createTill: ${name} begins or ends with white space, which no key does.`)
}

function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new TillError('usage', `createTill: baseUrl is not a URL like https://pay.example/v3: ${baseUrl}`)
  return baseUrl.replace(/\/+$/, '')
}

/** Returns a function that signs a call, sends it and reads the answer, and that says what is wrong if there is none. */
export function callApi({ apiKey, apiSecret, baseUrl, fetch: send = fetch, clock = Date.now }: ServerOptions): CallApi {
  if (typeof document !== 'undefined') throw new TillError('usage', 'createTill is for servers: in a page it would publish the API secret.')
  for (const [name, value] of Object.entries({ apiKey, apiSecret, baseUrl })) requireText(name, value)
  const base = baseOf(baseUrl)
  return async ({ method, path, body, signsBody, idempotencyKey, signal, headers }) => {
    const text = body && JSON.stringify(body)
    const timestamp = Math.floor(clock() / 1000)
    const covered = signsBody ? await sha256Hex(text ?? '') : ''
    const signature = await hmacHex(apiSecret, `${method}${path.split('?')[0]}${timestamp}${covered}`)
    const request: RequestInit = {
      method,
      signal,
      redirect: 'manual',
      headers: {
        authorization: apiKey,
        'authorization-signature': `APIKey=${apiKey},signature=${signature},timestamp=${timestamp}`,
        ...(text ? { 'content-type': 'application/json' } : {}),
        ...(method === 'POST' ? { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() } : {}),
        ...headers,
      },
      body: text,
    }
    const response = await send(base + path, request).catch((error: unknown) => {
      throw signal?.aborted ? error : unreachable(error, base)
    })
    if (response.status === 204) return undefined
    const answer: unknown = await response.json().catch(() => undefined)
    if (typeof answer !== 'object' || answer === null) throw signal?.aborted ? signal.reason : notTheApi(response, base)
    if (response.ok) return answer
    throw refusal(response, answer, base, clock())
  }
}

function refusal(response: Response, answer: object, base: string, now: number): TillError {
  const { message = `The API answered ${response.status}.`, details } = answer as { message?: string; details?: unknown }
  const wait = Number(response.headers.get('retry-after'))
  return (
    refusedSignature(response, message, now) ??
    new TillError('refused', unknownPath(response, message, base), {
      status: response.status,
      details,
      retryAfter: wait > 0 ? wait : undefined,
      headers: response.headers,
    })
  )
}
