import { chainFacts, type ChainFamily } from '../chain-facts.ts'
import type { Network } from './codec.ts'

/** This test network of the contract is not in `chain-facts.ts` because no service can be configured with it yet. */
const solanaDevnet = 30000000000101

const testNetworks: readonly number[] = [84532, 11155111, 20000000000101, 20000000000102, solanaDevnet]

/** Returns undefined for a chain that we do not know. */
export const familyOf = (chainId: number): ChainFamily | undefined =>
  chainFacts(chainId)?.family ?? (chainId === solanaDevnet ? 'solana' : undefined)

/** A chain of a local node has the id of a public one, so its id does not say which network it is. */
export const networkOf = (chainId: number): Network => (testNetworks.includes(chainId) ? 'test' : 'main')
