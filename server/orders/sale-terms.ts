import type { Token } from '../chains/chain.ts'
import type { Organization } from '../organizations/organizations.ts'
import type { Terms } from './model/order.ts'
import type { Quote } from './model/quote.ts'
import { assetOf } from './quoting.ts'

export const slippageBps = 100
export const maxRaw = 2n ** 200n

/** Returns the terms of a SALE that come from its organisation's settings. */
export const saleTerms = (organization: Organization, token: Token, settings?: Partial<Terms['settings']>) =>
  ({
    mode: 'SALE',
    asset: assetOf(token),
    recipient: organization.settlement.recipient,
    tradeType: 'EXACT_OUTPUT',
    slippageBps,
    fees: organization.fees,
    feeCollector: organization.feeCollector,
    toleranceBps: organization.toleranceBps,
    settings: { card_payments: false, hide_footer: false, embed_origins: [...organization.embedOrigins], ...settings },
  }) satisfies Partial<Terms>

/** Returns why this amount cannot be paid at all, or undefined if it can. */
export function sizeProblem({ input, output }: Quote): 'too_small' | 'too_large' | undefined {
  if (input.total === 0n || output <= 0n) return 'too_small'
  return input.total > maxRaw ? 'too_large' : undefined
}
