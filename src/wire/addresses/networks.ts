import { chainFacts, type ChainFamily } from '../chain-facts.ts'
import type { Network } from './codec.ts'

const testNetworks: readonly number[] = [84532, 11155111, 20000000000101, 20000000000102, 30000000000101]

/** Returns undefined for a chain that we do not know. */
export const familyOf = (chainId: number): ChainFamily | undefined => chainFacts(chainId)?.family

/** A chain of a local node has the id of a public one, so its id does not say which network it is. */
export const networkOf = (chainId: number): Network => (testNetworks.includes(chainId) ? 'test' : 'main')
