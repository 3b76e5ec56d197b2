import type { ApiError } from '../../api/api-error.ts'
import { cardStepOf, isCardOver } from '../../wire/card-step.ts'
import type { Flow } from '../method.ts'

export type CardInput = { readonly do: 'open' }

export type CardStep =
  | { readonly at: 'asking' }
  | { readonly at: 'opened' }
  /** status 0: nobody answered. */
  | { readonly at: 'refused'; readonly status: number; readonly message: string }

/**
 * Asks for the provider's page and what it charges, before anything is opened: the payer reads the total first, and the tap that opens the
 * page then waits for nothing, so no browser blocks it. What happens there comes back as news of the order.
 */
export const payByCard: Flow<CardInput, CardStep> = async function* ({ api, order, refresh }, _, signal) {
  const asset = order().fulfillment?.asset
  const open = cardStepOf(order())
  if (open && !isCardOver(open)) return yield { at: 'opened' }
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

/** By its name: the class itself is in the piece of the page that talks to the service. */
const isApiError = (error: unknown): error is ApiError => error instanceof Error && error.name === 'ApiError'
