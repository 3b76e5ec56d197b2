import * as z from 'zod/mini'
import { chainIds } from './chain-facts.ts'

export { chainFacts, chains, isChainId } from './chain-facts.ts'

export const ChainId = z.literal(chainIds)
export type ChainId = z.infer<typeof ChainId>
