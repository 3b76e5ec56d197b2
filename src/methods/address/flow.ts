import { ApiError } from '../../api/api-error.ts'
import type { PaymentAsk } from '../../api/client.ts'
import type { Flow } from '../method.ts'
import { isAddressOn } from './address-check.ts'

export type AddressStep =
  | { readonly at: 'asking' }
  | { readonly at: 'instructed' }
  /** Not an address on this network, whoever's it may be. */
  | { readonly at: 'misshapen' }
  /** status 0: nobody answered. */
  | { readonly at: 'refused'; readonly status: number; readonly message: string }

/** Ask for instructions; the order that comes back holds the address, the amount and the deadline. */
export const address: Flow<PaymentAsk, AddressStep> = async function* ({ api, order, refresh }, ask, signal) {
  if (ask.refundAddress !== undefined && !isAddressOn(ask.currency.chain_id, ask.refundAddress)) {
    yield { at: 'misshapen' }
    return
  }
  yield { at: 'asking' }
  try {
    await api.requestPayment(order().id, ask, signal)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    yield { at: 'refused', status: error.status, message: error.message }
    return
  }
  await refresh()
  yield { at: 'instructed' }
}
