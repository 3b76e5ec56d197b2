import { canonicalIn } from '../../wire/addresses/canonical.ts'
import { verifyTerms } from '../../wire/terms/verify-terms.ts'
import type { FlowPorts } from '../method.ts'

/** Returns whether this is the address that follows from the order's terms. What a wallet is asked to pay comes from several answers. */
export const isOrderAddress = ({ order, factory }: FlowPorts, address: string): boolean => {
  if (factory === undefined) return true
  const checked = verifyTerms(order(), factory)
  return checked.ok && checked.address === canonicalIn('evm', address)
}
