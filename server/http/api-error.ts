import type { ErrorResponse } from '../../src/wire/error.ts'

export const statusTexts = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
} as const
export type ErrorStatus = keyof typeof statusTexts

/** Routes throw this to respond with an error. Its message is a sentence that the caller can act on. */
export class ApiError extends Error {
  constructor(
    readonly status: ErrorStatus,
    message: string,
    readonly details?: ErrorResponse['details'],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'ApiError'
  }
}

export const errorBody = (status: ErrorStatus, message: string, details?: ErrorResponse['details']): ErrorResponse => ({
  error: statusTexts[status],
  message,
  code: status,
  ...(details === undefined ? {} : { details }),
})

/** What belongs to another organisation gets this response too, so that a caller cannot learn that it exists. */
export const notFound = (what: string): ApiError => new ApiError(404, `There is no such ${what}.`)

/** Returns a 422 about one member of the request. `short` says beside the member's path what is wrong with it. */
export const invalid = (path: string, short: string, message: string, more?: Readonly<Record<string, unknown>>): ApiError =>
  new ApiError(422, message, { issues: [{ path, message: short }], ...more })
