import type { ApiError } from '../../api/api-error.ts'
import { cardStepOf } from '../../wire/card-step.ts'
import { isCardOver } from '../../wire/is-card-over.ts'
import type { Flow } from '../method.ts'

export type CardInput = { readonly do: 'open' }

export type CardStep =
  | { readonly at: 'asking' }
  | { readonly at: 'opened' }
  /** `status` is the HTTP status code, or 0 if the service did not answer. */
  | { readonly at: 'refused'; readonly status: number; readonly message: string }

/** The page is requested first, so the payer sees the total and the tap opens it unblocked. The result arrives as a change of the order. */
export const payByCard: Flow<CardInput, CardStep> = async function* ({ api, order, refresh }, _, signal) {
  const asset = order().fulfillment?.asset
  const current = cardStepOf(order())
  if (current && !isCardOver(current)) return yield { at: 'opened' }
  yield { at: 'asking' }
  try {
    const currency = { chain_id: asset?.chain_id ?? 0, address: asset?.address ?? null }
    await api.requestPayment(order().id, { currency, rail: 'FIAT' }, signal)
  } catch (error) {
    if (!isApiError(error)) throw error
    return yield { at: 'refused', status: error.status, message: error.message }
  }
  await refresh()
  yield { at: 'opened' }
}

/** This compares the name, because importing the class would tie this module to the one with the API client (live.ts). */
const isApiError = (error: unknown): error is ApiError => error instanceof Error && error.name === 'ApiError'
