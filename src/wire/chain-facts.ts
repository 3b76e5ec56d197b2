/** The API writes the native coin as null in CurrencyBase and as this address in Currency. Requests may have either. */
export const nativeAddress = '0x0000000000000000000000000000000000000000'

export type ChainFamily = 'evm' | 'bitcoin' | 'solana' | 'sui'

interface ChainFacts {
  readonly family: ChainFamily
  readonly name: string
  /** Most exchanges use this name for the network in their withdrawal screens. */
  readonly exchangeName: string
  readonly native: { readonly symbol: string; readonly name: string; readonly decimals: number }
  /** Links are `{explorer}/tx/{hash}` and `{explorer}/address/{address}`. */
  readonly explorer: string
}

const ether = { symbol: 'ETH', name: 'Ether', decimals: 18 } as const

/** This lists every chain of the API specification. A service is configured to support some of them. */
export const chains = {
  1: { family: 'evm', name: 'Ethereum', exchangeName: 'ERC20', native: ether, explorer: 'https://etherscan.io' },
  10: { family: 'evm', name: 'Optimism', exchangeName: 'Optimism', native: ether, explorer: 'https://optimistic.etherscan.io' },
  56: {
    family: 'evm',
    name: 'BNB Smart Chain',
    exchangeName: 'BEP20',
    native: { symbol: 'BNB', name: 'BNB', decimals: 18 },
    explorer: 'https://bscscan.com',
  },
  137: {
    family: 'evm',
    name: 'Polygon',
    exchangeName: 'Polygon',
    native: { symbol: 'POL', name: 'POL', decimals: 18 },
    explorer: 'https://polygonscan.com',
  },
  4663: {
    family: 'evm',
    name: 'Robinhood Chain',
    exchangeName: 'Robinhood Chain',
    native: ether,
    explorer: 'https://robinhoodchain.blockscout.com',
  },
  8453: { family: 'evm', name: 'Base', exchangeName: 'Base', native: ether, explorer: 'https://basescan.org' },
  42161: { family: 'evm', name: 'Arbitrum One', exchangeName: 'Arbitrum One', native: ether, explorer: 'https://arbiscan.io' },
  20000000000001: {
    family: 'bitcoin',
    name: 'Bitcoin',
    exchangeName: 'BTC',
    native: { symbol: 'BTC', name: 'Bitcoin', decimals: 8 },
    explorer: 'https://mempool.space',
  },
  30000000000001: {
    family: 'solana',
    name: 'Solana',
    exchangeName: 'SOL',
    native: { symbol: 'SOL', name: 'Solana', decimals: 9 },
    explorer: 'https://solscan.io',
  },
  30000000000002: {
    family: 'sui',
    name: 'Sui',
    exchangeName: 'SUI',
    native: { symbol: 'SUI', name: 'Sui', decimals: 9 },
    explorer: 'https://suiscan.xyz/mainnet',
  },
} as const satisfies Record<number, ChainFacts>

export type ChainId = keyof typeof chains

export const chainIds = Object.keys(chains).map(Number) as ChainId[]

export const isChainId = (value: number): value is ChainId => Object.hasOwn(chains, value)

export const chainFacts = (id: number): ChainFacts | undefined => (isChainId(id) ? chains[id] : undefined)
