import { createBitcoinChain } from './bitcoin/create-bitcoin-chain.ts'
import type { ConfiguredChain } from './chain.ts'
import { createEvmChain } from './evm/create-evm-chain.ts'
import { createGate, type Gate } from './gate.ts'
import type { Guard } from './guard.ts'
import { createSolanaChain } from './solana/create-solana-chain.ts'
import type { ChainConfig } from './table.ts'

/** Creates a chain that nothing is read from, or sent to, before its check has resolved once. */
export function createChain(config: ChainConfig, guard?: Guard): ConfiguredChain {
  const gate = createGate(config.chainId)
  const chain = chainOfFamily(config, gate, guard)
  return {
    ...chain,
    check: async (signal) => {
      await chain.check(signal)
      gate.open()
    },
  }
}

function chainOfFamily(config: ChainConfig, gate: Gate, guard?: Guard): ConfiguredChain {
  switch (config.family) {
    case 'evm':
      return createEvmChain(config, guard, gate)
    case 'bitcoin':
      return createBitcoinChain(config, gate)
    case 'solana':
      return createSolanaChain(config, gate)
    default:
      return config satisfies never
  }
}
