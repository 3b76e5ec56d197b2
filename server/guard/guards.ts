import { canonicalIn } from '../../src/wire/addresses/canonical.ts'
import { nativeAddress } from '../../src/wire/chain-facts.ts'
import { type Guard, GuardRefused } from '../chains/guard.ts'

/** The guards of a service: each order is signed for by the one that its terms name. `address` is that of the service's own guard. */
export interface Guards extends Guard {
  /** Returns who will sign for new orders of this organisation, or undefined if nobody can. */
  forNewOrders(organization: { readonly guard?: string }): Pick<Guard, 'address' | 'isMachine'> | undefined
}

export interface GuardsParts {
  /** It signs for organisations that have no guard of their own. Without one their orders have no refunds and no conversions. */
  readonly own: Guard | undefined
  readonly ofOrganization: (address: string) => Guard
}

export function guards({ own, ofOrganization }: GuardsParts): Guards {
  const guardAt = (address: string): Guard | undefined => {
    const guard = canonicalIn('evm', address)
    if (guard === nativeAddress) return undefined
    return guard === own?.address ? own : ofOrganization(guard)
  }
  return {
    address: own?.address ?? nativeAddress,
    isMachine: own?.isMachine ?? false,
    forNewOrders: ({ guard }) => (guard === undefined ? own : guardAt(guard)),
    async sign(request, signal) {
      const guard = guardAt(request.terms.guard)
      if (!guard) throw new GuardRefused('The terms of this order name no guard, so nobody can sign for a refund or a conversion.')
      return guard.sign(request, signal)
    },
  }
}
