import { chains, type ChainId } from '../../src/wire/chain.ts'

type EvmId = { [Id in ChainId]: (typeof chains)[Id]['family'] extends 'evm' ? Id : never }[ChainId]

/** Until a chain's own blocks have been measured, and whenever they come without a rhythm, these times between blocks count. */
const known: Readonly<Record<EvmId, number>> = { 1: 12, 10: 2, 56: 0.75, 137: 2, 4663: 0.25, 8453: 2, 42161: 0.25 }

/** A chain that is not listed counts as slow as the slowest, since nobody minds money that comes early. */
export const knownBlockSeconds = (chainId: ChainId): number => (Object.hasOwn(known, chainId) ? known[chainId as EvmId] : 12)
