/**
 * `refused`: the API's own answer. `clock`: the signature was refused, and the API's clock says why. `base_url`: what answered is not the API.
 * `unreachable`: nothing answered, or something in front of the API did. `usage`: nothing was sent, because an argument is missing.
 */
export type TillErrorCode = 'refused' | 'clock' | 'base_url' | 'unreachable' | 'usage'

interface Details {
  readonly status?: number
  readonly details?: unknown
  readonly retryAfter?: number
  readonly headers?: Headers
  readonly cause?: unknown
}

/** A call failed, and `message` says what to do. `status` is 0 where there was no answer, and `retryAfter` is in seconds. */
export class TillError extends Error {
  override readonly name = 'TillError'
  readonly code: TillErrorCode
  readonly status: number
  readonly details: unknown
  readonly retryAfter: number | undefined
  readonly headers: Headers | undefined

  constructor(code: TillErrorCode, message: string, { status = 0, details, retryAfter, headers, cause }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
    this.details = details
    this.retryAfter = retryAfter
    this.headers = headers
  }
}

/** A mistake of the caller's own code, which no retry heals. */
export const missing = (what: string, value: unknown, hint: string): TillError =>
  new TillError(
    'usage',
    `${what} is ${value === '' ? 'empty' : value === undefined || value === null ? String(value) : `a ${typeof value}`}. ${hint}`,
  )
