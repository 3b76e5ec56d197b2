import type { Arguments } from './read-arguments.ts'
import { CommandFailed, type Terminal, UsageError } from './command.ts'
import { isObject, isText } from './json.ts'
import { isLoopback } from './loopback.ts'

export const defaultUrl = 'http://localhost:4020'

export interface Keys {
  readonly apiKey: string
  readonly apiSecret: string
}

export interface Service extends Keys {
  /** Where the pages are, without a slash at the end. The API is at /v3 below it. */
  readonly url: string
  /** Signs webhooks, as far as it is known. */
  readonly webhookSecret?: string
}

/** The service's URL, from --url or TILL_URL, with or without the API's /v3. */
export function urlOfService(given: Arguments, env: Terminal['env']): string {
  const [name, text] = given.has('url') ? ['--url', given.valueOf('url')] : ['TILL_URL', env.TILL_URL || defaultUrl]
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError(`${name} must be the address of a service, like ${defaultUrl} or https://pay.example, and is "${text}".`)
  return url.href.replace(/\/+$/, '').replace(/\/v3$/, '')
}

/** Keys come from the environment. A local service hands out its own, which anybody knows. */
export async function openService(given: Arguments, { env, fetch, signal }: Terminal): Promise<Service> {
  const url = urlOfService(given, env)
  const webhookSecret = env.TILL_WEBHOOK_SECRET || undefined
  const [apiKey, apiSecret] = [env.TILL_API_KEY, env.TILL_API_SECRET]
  if (apiKey && apiSecret) return { url, apiKey, apiSecret, webhookSecret }
  if (apiKey || apiSecret)
    throw new UsageError(`${apiKey ? 'TILL_API_SECRET' : 'TILL_API_KEY'} is missing: a key and its secret belong together.`)
  const local = isLoopback(new URL(url)) ? await localKeys(url, fetch, signal) : undefined
  if (!local)
    throw new UsageError(
      `TILL_API_KEY and TILL_API_SECRET are missing: ${url} is not a service in local mode, which would hand them out. Set both in the environment.`,
    )
  return { ...local, url, webhookSecret: webhookSecret ?? local.webhookSecret }
}

async function localKeys(
  url: string,
  fetch: Terminal['fetch'],
  signal: AbortSignal,
): Promise<(Keys & Pick<Service, 'webhookSecret'>) | undefined> {
  const response = await fetch(`${url}/test/fixtures`, { signal, redirect: 'error' }).catch((error: unknown) => {
    throw unreachable(url, error)
  })
  const answer: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
  const organization = isObject(answer) ? answer.organization : undefined
  if (!isObject(organization)) return undefined
  const { api_key: apiKey, api_secret: apiSecret, webhook_secret: webhookSecret } = organization
  return isText(apiKey) && isText(apiSecret) ? { apiKey, apiSecret, ...(isText(webhookSecret) && { webhookSecret }) } : undefined
}

export function unreachable(url: string, error: unknown): CommandFailed {
  return new CommandFailed(
    `Nothing answers at ${url} (${reasonOf(error)}). Start Till with "npm start", or say where it is with --url or TILL_URL.`,
  )
}

/** `fetch` says only "fetch failed", and has the reason in its cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  if (cause instanceof AggregateError && cause.message === '') return cause.errors.map(reasonOf).join(', ')
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}
