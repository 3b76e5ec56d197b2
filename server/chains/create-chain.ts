import { createBitcoinChain } from './bitcoin/create-bitcoin-chain.ts'
import type { ConfiguredChain } from './chain.ts'
import { createEvmChain } from './evm/create-evm-chain.ts'
import type { Guard } from './guard.ts'
import type { ChainConfig } from './table.ts'

export function createChain(config: ChainConfig, guard?: Guard): ConfiguredChain {
  switch (config.family) {
    case 'evm':
      return createEvmChain(config, guard)
    case 'bitcoin':
      return createBitcoinChain(config)
    default:
      return config satisfies never
  }
}
