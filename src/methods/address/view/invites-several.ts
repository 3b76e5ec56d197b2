import { chainFacts, type ChainFamily } from '../../../wire/chain-facts.ts'

/** Here each further transfer costs the payer another fee, and makes the settlement larger, whose fee is in the price. */
const dearTransfers: ReadonlySet<ChainFamily | undefined> = new Set(['bitcoin'])

/** Returns whether the page says that several transfers are fine. They are counted on every chain. */
export const invitesSeveral = (chainId: number): boolean => !dearTransfers.has(chainFacts(chainId)?.family)
