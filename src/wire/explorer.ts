import { chainFacts, type ChainFamily } from './chain-facts.ts'

/** The explorers of the families call an address differently. All of them call a transaction `tx`. */
const addressPath: { readonly [F in ChainFamily]: string } = { evm: 'address', bitcoin: 'address', solana: 'account', sui: 'account' }

/** One explorer shows all of Solana's clusters. */
const clusterOf = (chainId: number): string => (chainId === 30000000000101 ? '?cluster=devnet' : '')

/** Returns undefined for a chain that we do not know. */
export function explorerTx(chainId: number, hash: string): string | undefined {
  const facts = chainFacts(chainId)
  return facts && `${facts.explorer}/tx/${hash}${clusterOf(chainId)}`
}

export function explorerAddress(chainId: number, address: string): string | undefined {
  const facts = chainFacts(chainId)
  return facts && `${facts.explorer}/${addressPath[facts.family]}/${address}${clusterOf(chainId)}`
}
