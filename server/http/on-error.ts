import { randomUUID } from 'node:crypto'
import type { ErrorHandler } from 'hono'
import type { Logger } from 'pino'
import { PriceUnavailable } from '../providers/prices.ts'
import { isCode, isDatabaseUnreachable } from '../database/unreachable.ts'
import { ApiError, errorBody } from './api-error.ts'

const respond = (error: ApiError): Response =>
  Response.json(errorBody(error.status, error.message, error.details), { status: error.status, headers: error.headers })

/** Maps known failures of prices, providers, chains and the database to a response. Anything else is a bug of ours. */
function asApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof PriceUnavailable)
    return new ApiError(503, `${error.message} Try again in a moment.`, undefined, { 'retry-after': '5' })
  // A call that `AbortSignal.timeout` aborts fails with this error, which here means that a chain did not answer in time.
  const isOverdue = error instanceof DOMException && error.name === 'TimeoutError'
  if (isCode(error, 'provider_unavailable'))
    return new ApiError(502, 'The provider behind this cannot be reached right now. Nothing has changed; try again in a moment.')
  if (isOverdue || isCode(error, 'chain_unavailable'))
    return new ApiError(502, 'The network cannot be reached right now. Try again in a moment.')
  if (isCode(error, 'addresses_used_up'))
    return new ApiError(503, 'All addresses for new orders are taken, and more are being made. Try again in a moment.', undefined, {
      'retry-after': '1',
    })
  if (isCode(error, '55P03', '57014', '40P01', '40001'))
    return new ApiError(503, 'The service is busy. Try again in a moment.', undefined, { 'retry-after': '1' })
  if (isDatabaseUnreachable(error))
    return new ApiError(503, 'The service is starting or cannot reach its database. Try again in a moment.', undefined, {
      'retry-after': '1',
    })
  // The database is out of disk space, memory or another resource (class 53). It rolled the statement back, so a retry may succeed.
  if (isCode(error, '53000', '53100', '53200', '53400'))
    return new ApiError(503, 'The service is out of resources right now. Try again in a few seconds.', undefined, {
      'retry-after': '5',
    })
  return undefined
}

/** An error that is not known is our fault: the caller gets a trace id, and the log gets the whole error. */
export function apiErrorFor(error: unknown, log: Logger, about: object): ApiError {
  const known = asApiError(error)
  if (known) {
    if (known.status >= 500) log.warn({ err: error, ...about }, known.message)
    return known
  }
  const trace = randomUUID()
  log.error({ err: error, trace, ...about }, 'a request failed')
  return new ApiError(500, 'Something went wrong on our side. Nothing was lost; quote the trace id if you ask for help.', trace)
}

export const errorHandler =
  (log: Logger): ErrorHandler =>
  (error, c) =>
    respond(apiErrorFor(error, log, { method: c.req.method, path: c.req.path }))
