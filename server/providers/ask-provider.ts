import * as z from 'zod/mini'
import { withDeadline } from '../lib/with-deadline.ts'
import { isSignedCallback, ProviderUnavailable, type CallbackResult } from './callback.ts'

const timeoutMs = 4_000

export interface ProviderAddress {
  readonly url: string
  /** Our calls send this as a bearer token, and the provider signs its callbacks with it. */
  readonly secret: string
}

/** Calls a provider and parses the response with a schema. Returns undefined for a 404; any other failure is ProviderUnavailable. */
export async function askProvider<S extends z.ZodMiniType>(
  name: string,
  { url, secret }: ProviderAddress,
  { path, body, schema, signal }: { path: string; body?: object; schema: S; signal?: AbortSignal },
): Promise<z.infer<S> | undefined> {
  const { status, ok, json } = await answerOf(url + path, { secret, body, signal }).catch((cause: unknown) => {
    throw new ProviderUnavailable(name, 'cannot be reached', { cause })
  })
  if (status === 404) return undefined
  if (!ok) throw new ProviderUnavailable(name, `responded with status ${status}`)
  const parsed = z.safeParse(schema, json)
  if (!parsed.success) throw new ProviderUnavailable(name, 'sent a response that does not match the schema')
  return parsed.data
}

const answerOf = (
  url: string,
  { secret, body, signal }: { secret: string; body: object | undefined; signal: AbortSignal | undefined },
): Promise<{ status: number; ok: boolean; json?: unknown }> =>
  withDeadline(timeoutMs, signal, async (deadline) => {
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${secret}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
      redirect: 'error',
      signal: deadline,
    })
    const { status, ok } = response
    if (ok) return { status, ok, json: await response.json().catch(() => undefined) }
    await response.body?.cancel()
    return { status, ok }
  })

/** Verifies a callback's signature over the exact bytes of its body, then parses the body. */
export function readCallback<S extends z.ZodMiniType>(
  secret: string,
  header: string | undefined,
  body: Uint8Array,
  schema: S,
  now: number,
): CallbackResult<z.infer<S>> {
  if (!isSignedCallback(secret, header, body, now)) return { is: 'unsigned' }
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return { is: 'malformed', message: 'The body is not JSON.' }
  }
  const parsed = z.safeParse(schema, json)
  if (parsed.success) return { is: 'valid', payload: parsed.data }
  const [issue] = parsed.error.issues
  return { is: 'malformed', message: issue ? `${issue.path.join('.')}: ${issue.message}` : 'The body does not match the schema.' }
}
