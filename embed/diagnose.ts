import { TillError } from './till-error.ts'

/** How far the clocks may be apart, of which we leave a little to the way and to the header, which has whole seconds. */
const allowedSeconds = 300
const uncertainSeconds = 5

const versioned = /\/v\d+$/

const withVersion = (base: string): string =>
  versioned.test(new URL(base).pathname) ? '' : ` baseUrl usually ends in /v3: ${new URL(base).origin}/v3.`

const withHttps = (base: string): string => (base.startsWith('http:') ? ' If it is served by https, write https: in baseUrl.' : '')

/** A signature has a time, so a wrong clock is refused like a wrong secret. The time of the answer tells them apart. */
export function refusedSignature(response: Response, message: string, now: number): TillError | undefined {
  const date = response.headers.get('date')
  const off = date === null ? Number.NaN : Math.round((now - Date.parse(date)) / 1_000)
  if (response.status !== 401 || !(Math.abs(off) > allowedSeconds - uncertainSeconds)) return undefined
  const way = off > 0 ? 'ahead of' : 'behind'
  return new TillError(
    'clock',
    `This machine's clock is ${Math.abs(off)} s ${way} the API's, and a signature may be ${allowedSeconds} s off. Set the clock. (The API says: ${message})`,
    { status: 401, headers: response.headers },
  )
}

/** The API answers in JSON, also when it refuses. Anything else comes from somewhere else. */
export function notTheApi(response: Response, base: string): TillError {
  const { status, headers } = response
  const location = headers.get('location')
  if (status >= 300 && status < 400) {
    const isHttps = base.startsWith('http:') && location?.startsWith('https:')
    const advice = isHttps
      ? 'Write https: in baseUrl.'
      : 'Write the address of the API itself in baseUrl: a signed call follows no redirect.'
    return new TillError('base_url', `${base} redirects to ${location ?? 'another address'}. ${advice}`, { status, headers })
  }
  const kind = headers.get('content-type')?.split(';')[0] || 'no content type'
  if (status >= 500)
    return new TillError('unreachable', `Something in front of the API at ${base} answered ${status} with ${kind}.`, { status, headers })
  return new TillError(
    'base_url',
    `${base} answered ${status} with ${kind}, which the API never does. baseUrl does not lead to it.${withVersion(base)}${withHttps(base)}`,
    { status, headers },
  )
}

/** A path that the API does not know is usually one that begins at the wrong place. */
export const unknownPath = (response: Response, message: string, base: string): string =>
  response.status === 404 && !versioned.test(new URL(base).pathname) ? `${message}${withVersion(base)}` : message

interface Reason {
  readonly code?: string
  readonly message?: string
}

/** `fetch` says only that it failed, and its cause says why. */
export function unreachable(error: unknown, base: string): TillError {
  const cause: Reason = (error instanceof Error && (error.cause as Reason | undefined)) || (error as Reason)
  const reason = [cause.code, cause.message].filter(Boolean).join(': ') || String(error)
  const isPlain = base.startsWith('https:') && /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|wrong version number/i.test(reason)
  const hint = isPlain ? ' Plain http answers there, so write http: in baseUrl (in local mode).' : withHttps(base)
  return new TillError('unreachable', `The API at ${base} cannot be reached (${reason}).${hint}`, { cause: error })
}
