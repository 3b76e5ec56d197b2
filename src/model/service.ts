import { ApiError } from '../api/api-error.ts'
import type { Client, PaymentRequest } from '../api/client.ts'
import { payCurrency, paymentRequest } from '../order/pay-currency.ts'
import type { Problem } from '../wire/boot.ts'
import { firstSearches } from '../wire/first-searches.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** These helpers are bundled with the API client, because the checkout needs them only after live.ts has been loaded. */
export interface Service extends Client {
  /** Adapts a request that has waited in the queue to the current order. Returns undefined if it no longer makes sense. */
  withCurrentCurrency(request: PaymentRequest, order: OrderRead): PaymentRequest | undefined
  problemOf(at: Problem['at'], error: unknown, typed?: string): Problem
  /** Returns the searches that fill the list of tokens before the payer types anything. */
  firstSearches(order: OrderRead): readonly string[]
}

export const createService = (client: Client): Service => ({ ...client, withCurrentCurrency, problemOf, firstSearches })

/** A request with a refund address is dropped if the network has changed, because there the address may belong to nobody. */
const withCurrentCurrency: Service['withCurrentCurrency'] = (request, order) => {
  const currency = payCurrency(order)
  if (!currency || request.isAlone) return request
  if (request.refundAddress !== undefined && currency.chain_id !== request.currency.chain_id) return undefined
  return { ...request, ...paymentRequest(currency) }
}

/** Any error but an ApiError means that a part of the page's script could not be fetched, which counts as being offline. */
const problemOf: Service['problemOf'] = (at, error, typed) => {
  const { status, message } = error instanceof ApiError ? error : { status: 0, message: '' }
  if (status === 0 || status >= 500) return { at, code: 'offline', typed }
  if (status === 429) return { at, code: 'often', typed }
  return { at, code: 'said', message: status === 404 ? undefined : message, typed }
}
