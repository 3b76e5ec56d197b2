import { canonicalAddress, canonicalIn } from '../../../src/wire/addresses/canonical.ts'
import { type ChainFamily, type ChainId, chains } from '../../../src/wire/chain-facts.ts'

/**
 * An order has one deposit address for each family of chains in which it can be paid, and the address is the same on every chain of its
 * family. Addresses are in display form, whose checksum lets a wallet detect a mistyped character.
 */
export type Deposits = { readonly [F in ChainFamily]?: string }

interface WithDeposits {
  readonly id: string
  readonly deposits: Deposits
}

const shownOn = ({ deposits }: WithDeposits, chainId: ChainId): string | undefined => deposits[chains[chainId].family]

/** Returns the address in canonical form, or undefined if the order cannot be paid in the chain's family. */
export function findDeposit(order: WithDeposits, chainId: ChainId): string | undefined {
  const shown = shownOn(order, chainId)
  return shown === undefined ? undefined : canonicalAddress(chainId, shown)
}

/** Returns the display form of the address on a chain that the order has a quote or a transfer on, so there is one. */
export function shownDeposit(order: WithDeposits, chainId: ChainId): string {
  const shown = shownOn(order, chainId)
  if (shown === undefined) throw new Error(`order ${order.id} has no deposit address on chain ${chainId}`)
  return shown
}

export const depositOn = (order: WithDeposits, chainId: ChainId): string => canonicalAddress(chainId, shownDeposit(order, chainId))

export const canonicalDeposits = ({ deposits }: WithDeposits): Deposits =>
  Object.fromEntries(Object.entries(deposits).map(([family, shown]) => [family, canonicalIn(family as ChainFamily, shown)]))

/** Releases before 3.7.0 stored orders, and their first facts, with a single address, which was for EVM. */
export function withDeposits<Stored extends { readonly deposits?: Deposits; readonly depositAddress?: string }>(
  stored: Stored,
): Omit<Stored, 'depositAddress'> & { readonly deposits: Deposits } {
  const { depositAddress, ...order } = stored
  return { ...order, deposits: order.deposits ?? { evm: depositAddress } }
}
