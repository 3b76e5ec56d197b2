import { type ChainId, chains } from './chain-facts.ts'

interface Coin {
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

const ofFamily: Readonly<Record<(typeof chains)[ChainId]['family'], Coin>> = {
  evm: { symbol: 'ETH', name: 'Ether', decimals: 18 },
  bitcoin: { symbol: 'BTC', name: 'Bitcoin', decimals: 8 },
  solana: { symbol: 'SOL', name: 'Solana', decimals: 9 },
  sui: { symbol: 'SUI', name: 'Sui', decimals: 9 },
}

const ofChain: Readonly<Partial<Record<ChainId, Coin>>> = {
  56: { symbol: 'BNB', name: 'BNB', decimals: 18 },
  137: { symbol: 'POL', name: 'POL', decimals: 18 },
}

/** Returns the coin in which a chain's fees are paid. */
export const nativeCoin = (chainId: ChainId): Coin => ofChain[chainId] ?? ofFamily[chains[chainId].family]
