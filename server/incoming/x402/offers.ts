import { deepEqual } from '@x402/core/utils'
import { canonicalToken } from '../../../src/wire/addresses/canonical.ts'
import { chainFacts } from '../../../src/wire/chain.ts'
import type { PaymentRequirements } from '../../../src/wire/x402.ts'
import { isUnsigned } from '../../orders/model/created-by.ts'
import { takesAuthorization } from '../../orders/model/choosing.ts'
import { shownDeposit } from '../../orders/model/deposits.ts'
import type { Order } from '../../orders/model/order.ts'
import { convertsAnything, type Quote } from '../../orders/model/quote.ts'
import type { Engine } from '../../orders/engine.ts'
import { tokenOf } from '../../orders/quoting.ts'

/** The client echoes this in the offer that it accepts, and `offerAccepted` compares the two, so it must not differ between requests. */
export const maxTimeoutSeconds = 600

/** An offer is a quote in the format of x402. An order stores its quotes, so an offer stays the same while its quote is valid. */
export interface Offer {
  readonly quote: Quote
  readonly requirements: PaymentRequirements
}

export interface Preference {
  readonly preferred_chain_type?: string
  readonly preferred_chain_id?: number
  readonly preferred_token_address?: string
}

/** Lists every quote that a signature can pay, the newest first, including expired ones, so that a late payment is still recognised. */
const everyOffer = (engine: Pick<Engine, 'chains'>, order: Order): readonly Offer[] =>
  order.quotes.toReversed().flatMap((quote) => {
    const token = tokenOf(engine, quote.source)
    const scheme = engine.chains.get(quote.source.chainId)?.x402
    if (!token || !scheme || convertsAnything(quote) || (scheme.needsSignedOrder && isUnsigned(order.terms))) return []
    const requirements = scheme.requirements(token, quote.input.total, shownDeposit(order, token.chainId), maxTimeoutSeconds)
    return requirements ? [{ quote, requirements }] : []
  })

/** Makes one offer per chain and token, the payer's preference first, or none when a signature cannot pay the order now. */
export function openOffers(engine: Pick<Engine, 'chains'>, order: Order, now: number, preference: Preference = {}): readonly Offer[] {
  if (!takesAuthorization(order, now)) return []
  const valid = everyOffer(engine, order).filter(
    ({ quote }) => quote.expiresAt > now && (order.claimedQuote === undefined || order.claimedQuote === quote.id),
  )
  // The page shows the payer the active quote, so it is offered first. If it has expired, the newest valid quote replaces it.
  const preferred = [...valid].sort((a, b) => Number(b.quote.id === order.activeQuote) - Number(a.quote.id === order.activeQuote))
  const distinct = preferred.filter((offer, index) => preferred.findIndex((other) => isSameToken(offer, other)) === index)
  return [...distinct].sort((a, b) => preferenceFor(b, preference) - preferenceFor(a, preference))
}

/** Finds the offer that the payer accepted by comparing every member. The claimed quote, or else a valid one, wins over equal ones. */
export function offerAccepted(engine: Pick<Engine, 'chains'>, order: Order, accepted: object, now: number): Offer | undefined {
  const same = everyOffer(engine, order).filter(({ requirements }) => deepEqual(requirements, accepted))
  return same.find(({ quote }) => quote.id === order.claimedQuote) ?? same.find(({ quote }) => quote.expiresAt > now) ?? same[0]
}

const isSameToken = (a: Offer, b: Offer): boolean =>
  a.requirements.network === b.requirements.network && a.requirements.asset === b.requirements.asset

const preferenceFor = (
  { quote: { source } }: Offer,
  { preferred_chain_type, preferred_chain_id, preferred_token_address }: Preference,
): number =>
  (preferred_chain_id === source.chainId ? 4 : 0) +
  (preferred_token_address !== undefined && canonicalToken(source.chainId, preferred_token_address) === source.address ? 2 : 0) +
  (preferred_chain_type?.toLowerCase() === chainFacts(source.chainId)?.family ? 1 : 0)
