import { type ChainFamily, chainFacts } from '../../../src/wire/chain.ts'

const shapes: Record<ChainFamily, RegExp> = {
  evm: /^0x[0-9a-fA-F]{40}$/,
  bitcoin: /^(bc1[02-9ac-hj-np-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  sui: /^0x[0-9a-fA-F]{64}$/,
}

export function isAddressOn(chainId: number, address: string): boolean {
  const facts = chainFacts(chainId)
  return facts !== undefined && shapes[facts.family].test(address)
}
