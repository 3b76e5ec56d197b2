import { ApiError } from '../api/api-error.ts'
import type { Client, PaymentRequest } from '../api/client.ts'
import { payCurrency, paymentRequest } from '../order/pay-currency.ts'
import type { Problem } from '../wire/boot.ts'
import { firstSearches } from '../wire/currency.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** The service as the checkout knows it: its calls, and how to read them. It comes with the live piece of the page. */
export interface Service extends Client {
  /** The request as it is to be sent now; undefined when it is out of date. */
  inForce(request: PaymentRequest, order: OrderRead): PaymentRequest | undefined
  problemOf(at: Problem['at'], error: unknown, typed?: string): Problem
  /** What is searched for before the payer types anything. */
  firstSearches(symbol: string | undefined): readonly string[]
}

export const createService = (client: Client): Service => ({ ...client, inForce, problemOf, firstSearches })

/**
 * More time and a refund address are for what is paid with when their turn comes: they never undo a newer choice of token.
 * An address was typed for one network, and on another one it may be nobody's.
 */
const inForce: Service['inForce'] = (request, order) => {
  const currency = payCurrency(order)
  if (!currency) return request
  if (request.refundAddress !== undefined && currency.chain_id !== request.currency.chain_id) return undefined
  return { ...request, ...paymentRequest(currency) }
}

/** What went wrong, for the place where it was asked for; a piece of the page that could not be fetched is no answer either. */
const problemOf: Service['problemOf'] = (at, error, typed) => {
  const { status, message } = error instanceof ApiError ? error : { status: 0, message: '' }
  if (status === 0 || status >= 500) return { at, code: 'offline', typed }
  if (status === 429) return { at, code: 'often', typed }
  return { at, code: 'said', message: status === 404 ? undefined : message, typed }
}
