import { chainFacts, type ChainFamily } from '../chain-facts.ts'
import type { Network } from './codec.ts'

/** These are the test networks of the contract. `chain-facts.ts` describes those that a service can be configured with. */
const testNetworks: Readonly<Record<number, ChainFamily>> = {
  84532: 'evm',
  11155111: 'evm',
  20000000000101: 'bitcoin',
  20000000000102: 'bitcoin',
  30000000000101: 'solana',
}

/** Returns undefined for a chain that we do not know. */
export const familyOf = (chainId: number): ChainFamily | undefined => chainFacts(chainId)?.family ?? testNetworks[chainId]

/** A chain of a local node has the id of a public one, so its id does not say which network it is. */
export const networkOf = (chainId: number): Network => (Object.hasOwn(testNetworks, chainId) ? 'test' : 'main')
