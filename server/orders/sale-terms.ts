import type { Organization } from '../organizations/organizations.ts'
import type { Engine } from './engine.ts'
import type { Destination, Terms } from './model/order.ts'
import { assetOf, tokenOf } from './quoting.ts'

export const slippageBps = 100

/** Returns the terms of a SALE that come from its organisation's settings. */
export const saleTerms = (organization: Organization, settings?: Partial<Terms['settings']>) =>
  ({
    mode: 'SALE',
    tradeType: 'EXACT_OUTPUT',
    slippageBps,
    fees: organization.fees,
    toleranceBps: organization.toleranceBps,
    ...(organization.confirmations && { confirmations: organization.confirmations }),
    settings: { card_payments: false, hide_footer: false, embed_origins: [...organization.embedOrigins], ...settings },
  }) satisfies Partial<Terms>

/** Returns where an organisation is paid, its default first, without currencies that it no longer sees. */
export function saleDestinations(engine: Pick<Engine, 'chains' | 'sees'>, { settlements, isLive }: Organization): readonly Destination[] {
  return settlements.flatMap(({ recipient, feeCollector, ...named }) => {
    const token = tokenOf(engine, named)
    return token && engine.sees(isLive, token.chainId) ? [{ asset: assetOf(token), recipient, feeCollector }] : []
  })
}

export const isAny = (destinations: readonly Destination[]): destinations is readonly [Destination, ...Destination[]] =>
  destinations.length > 0
