import { canonicalAddress } from '../../../../src/wire/addresses/canonical.ts'
import { presetOf } from '../../presets/presets.ts'
import type { Exchange } from './exchange.ts'

/** Returns the deployment that a chain's preset names, in canonical addresses. */
export function presetExchange(chainId: number): Exchange | undefined {
  const { uniswapSwapRouter02: router, uniswapQuoterV2: quoter, uniswapV3Factory: factory, wrappedCoin } = presetOf(chainId).contracts
  if (!router || !quoter || !factory || !wrappedCoin) return undefined
  const canonical = ({ address }: { readonly address: string }) => canonicalAddress(chainId, address)
  return { router: canonical(router), quoter: canonical(quoter), factory: canonical(factory), wrapped: canonical(wrappedCoin) }
}
