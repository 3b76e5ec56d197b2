/** Why a call has no answer: the service said no, or nobody answered. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0: nobody answered. */
  readonly status: number
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, { cause: options.cause })
    this.status = status
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
