import type { EvmConfig } from './evm-config.ts'
import { multicallAddress } from './balances.ts'
import { ChainMisconfigured } from '../chain-misconfigured.ts'
import { compareTokens } from './compare-tokens.ts'
import { codeCall } from './rpc-calls.ts'
import type { Rpc } from './rpc.ts'

/** Refuses where money would be lost: other decimals, a token without code, another EIP-712 domain, or no Multicall3 to see balances by. */
export async function checkConfiguration(rpc: Rpc, { chainId, tokens }: EvmConfig, signal: AbortSignal): Promise<void> {
  const [multicall] = await rpc.read(signal, codeCall(multicallAddress))
  const refused = (await compareTokens(rpc, tokens.filter(isContract), signal)).flat().filter(({ isRefused }) => isRefused)
  const contradictions = [
    ...(multicall === '0x' ? [`there is no Multicall3 at ${multicallAddress}`] : []),
    ...refused.map(({ message }) => message),
  ]
  if (contradictions.length > 0)
    throw new ChainMisconfigured(
      `Chain ${chainId} contradicts its configuration: ${contradictions.join('; ')}. check-chains compares it all.`,
    )
}

export const isContract = <T extends { readonly address: string | null }>(token: T): token is T & { readonly address: string } =>
  token.address !== null
