import { type Chain, chainOf } from '../../chains/chain.ts'
import type { X402Scheme } from '../../chains/x402.ts'
import type { Engine } from '../../orders/engine.ts'

/** Returns the chain of an offer or a stored authorisation, which therefore takes signatures. */
export function schemeOf({ chains }: Pick<Engine, 'chains'>, chainId: number): { readonly chain: Chain; readonly scheme: X402Scheme } {
  const chain = chainOf(chains.values(), chainId)
  if (!chain.x402) throw new Error(`chain ${chainId} takes no signatures`)
  return { chain, scheme: chain.x402 }
}
