import { withDeadline } from '../lib/with-deadline.ts'
import { ChainUnavailable } from './chain.ts'

export interface HttpRequest {
  readonly path: string
  readonly method?: 'GET' | 'POST'
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A longer response is an error, so that a faulty or hostile node cannot exhaust our memory. */
  readonly mostBytes: number
}

export interface HttpResponse {
  readonly status: number
  readonly body: Buffer
}

export type HttpClient = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>

export interface HttpClientOptions {
  readonly chainId: number
  /** Its credentials, if any, are not sent. */
  readonly url: string
  readonly timeoutMs: number
}

/** Returns a client of one server that rejects with ChainUnavailable when there is no whole response in time. It follows no redirects. */
export function httpClient({ chainId, url, timeoutMs }: HttpClientOptions): HttpClient {
  const { origin, pathname, search, host } = new URL(url)
  const base = `${origin}${pathname.replace(/\/$/, '')}`
  return async ({ path, method = 'GET', body, headers, mostBytes }, signal) => {
    try {
      return await withDeadline(timeoutMs, signal, async (deadline) => {
        const response = await fetch(`${base}${path}${search}`, {
          method,
          ...(body !== undefined && { body }),
          ...(headers && { headers }),
          redirect: 'error',
          signal: deadline,
        })
        return { status: response.status, body: await wholeBody(response, mostBytes) }
      })
    } catch (cause) {
      signal.throwIfAborted()
      throw new ChainUnavailable(chainId, 'chain_unavailable', `${host} did not answer (${reasonOf(cause)}).`, { cause })
    }
  }
}

async function wholeBody(response: Response, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > mostBytes) throw new Error(`the response is longer than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** What made a connection fail is in the cause of the error that says so. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
