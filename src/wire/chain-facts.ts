/** The API writes the native coin as null in CurrencyBase and as this address in Currency. Requests may have either. */
export const nativeAddress = '0x0000000000000000000000000000000000000000'

export type ChainFamily = 'evm' | 'bitcoin' | 'solana' | 'sui'

interface ChainFacts {
  readonly family: ChainFamily
  readonly name: string
  /** Most exchanges use this name for the network in their withdrawal screens. */
  readonly exchangeName: string
  /** See explorer.ts for the links below this. */
  readonly explorer: string
}

const chain = (family: ChainFamily, name: string, explorer: string, exchangeName = name): ChainFacts => ({
  family,
  name,
  exchangeName,
  explorer: `https://${explorer}`,
})

/** This lists every chain of the API specification, and test networks. A service is configured to support some of them. */
export const chains = {
  1: chain('evm', 'Ethereum', 'etherscan.io', 'ERC20'),
  10: chain('evm', 'Optimism', 'optimistic.etherscan.io'),
  56: chain('evm', 'BNB Smart Chain', 'bscscan.com', 'BEP20'),
  137: chain('evm', 'Polygon', 'polygonscan.com'),
  4663: chain('evm', 'Robinhood Chain', 'robinhoodchain.blockscout.com'),
  8453: chain('evm', 'Base', 'basescan.org'),
  42161: chain('evm', 'Arbitrum One', 'arbiscan.io'),
  84532: chain('evm', 'Base Sepolia', 'sepolia.basescan.org'),
  11155111: chain('evm', 'Sepolia', 'sepolia.etherscan.io'),
  20000000000001: chain('bitcoin', 'Bitcoin', 'mempool.space', 'BTC'),
  20000000000101: chain('bitcoin', 'Bitcoin Testnet4', 'mempool.space/testnet4'),
  20000000000102: chain('bitcoin', 'Bitcoin Signet', 'mempool.space/signet'),
  30000000000001: chain('solana', 'Solana', 'solscan.io', 'SOL'),
  30000000000101: chain('solana', 'Solana Devnet', 'solscan.io'),
  30000000000002: chain('sui', 'Sui', 'suiscan.xyz/mainnet', 'SUI'),
}

export type ChainId = keyof typeof chains

export const chainIds = Object.keys(chains).map(Number) as ChainId[]

export const isChainId = (value: number): value is ChainId => Object.hasOwn(chains, value)

export const chainFacts = (id: number): ChainFacts | undefined => (isChainId(id) ? chains[id] : undefined)
