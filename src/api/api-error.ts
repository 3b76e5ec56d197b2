/** The service refused a call, did not answer it, or sent an unexpected answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** This is the HTTP status code, or 0 if the service did not answer. */
  readonly status: number
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause })
    this.status = status
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
