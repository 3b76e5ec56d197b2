import { CommandFailed, type Terminal } from './command.ts'
import { isObject, isText } from './json.ts'
import { type Service, unreachable } from './service.ts'
import { signCall } from './sign.ts'

/** Asks the API for something. `path` begins behind /v3, and its query is not signed. */
export async function ask(service: Service, path: string, query: URLSearchParams, { fetch, signal }: Terminal): Promise<unknown> {
  const url = `${service.url}/v3${path}${query.size > 0 ? `?${query}` : ''}`
  const response = await fetch(url, {
    signal,
    redirect: 'error',
    headers: { authorization: service.apiKey, 'authorization-signature': signCall(service, 'GET', path, Date.now()) },
  }).catch((error: unknown) => {
    throw unreachable(service.url, error)
  })
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok) return answer
  const message = isObject(answer) && isText(answer.message) ? answer.message : 'It does not look like a service of Till.'
  const hint = response.status === 401 ? " Compare TILL_API_KEY and TILL_API_SECRET, and see whether this machine's clock is right." : ''
  throw new CommandFailed(`${service.url} answered ${response.status}: ${message}${hint}`)
}
