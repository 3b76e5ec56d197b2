import { chainIds, type ChainId } from '../../src/wire/chain-facts.ts'
import { isTestnet } from '../chains/presets/presets.ts'
import type { Engine } from '../orders/engine.ts'

/** The description lists every chain of the API, and those test networks that are configured. */
export const describedChains = ({ chains }: Pick<Engine, 'chains'>): readonly ChainId[] =>
  chainIds.filter((id) => !isTestnet(id) || chains.has(id))
