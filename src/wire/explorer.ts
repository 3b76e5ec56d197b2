import { chainFacts, type ChainFamily } from './chain-facts.ts'

/** The explorers of the families call an address differently. All of them call a transaction `tx`. */
const addressPath: { readonly [F in ChainFamily]: string } = { evm: 'address', bitcoin: 'address', solana: 'account', sui: 'account' }

/** Returns undefined for a chain that we do not know. */
export function explorerTx(chainId: number, hash: string): string | undefined {
  const facts = chainFacts(chainId)
  return facts && `${facts.explorer}/tx/${hash}`
}

export function explorerAddress(chainId: number, address: string): string | undefined {
  const facts = chainFacts(chainId)
  return facts && `${facts.explorer}/${addressPath[facts.family]}/${address}`
}
