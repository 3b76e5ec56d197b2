import { ChainMisconfigured } from '../chain-misconfigured.ts'
import { genesisCall, mintsCall } from './calls.ts'
import { mintProblem } from './mint-problem.ts'
import { mintOf } from './mints.ts'
import type { SolanaRpc } from './rpc-client.ts'
import type { SolanaSigner } from './signer.ts'
import type { SolanaConfig } from './solana-config.ts'

/** Refuses where money would be lost: another cluster, another signer than the one whose addresses orders have, or a token that is not what is configured. */
export async function checkCluster(rpc: SolanaRpc, signer: SolanaSigner, config: SolanaConfig, signal: AbortSignal): Promise<void> {
  const { chainId, genesis, tokens } = config
  const mints = tokens.flatMap(({ address, symbol, decimals }) => {
    const mint = mintOf(tokens, address)
    return mint ? [{ ...mint, symbol, decimals }] : []
  })
  const [hash, { value: accounts }] = await rpc.read(signal, genesisCall(), mintsCall(mints.map(({ address }) => address)))
  const wrongCluster = genesis !== undefined && hash !== genesis
  const wrongTokens = mints.flatMap((mint, i) => {
    const problem = mintProblem(accounts[i] ?? null, mint, mint.decimals)
    return problem === undefined ? [] : [`${mint.symbol} (${mint.address}) ${problem}`]
  })
  const contradictions = wrongCluster ? [`its nodes serve another cluster (${hash})`] : wrongTokens
  if (contradictions.length > 0)
    throw new ChainMisconfigured(`Chain ${chainId} contradicts its configuration: ${contradictions.join('; ')}.`)
  const [first] = await signer.addresses(0, 1, signal)
  if (first !== signer.first)
    throw new ChainMisconfigured(`Chain ${chainId} has another signer: its first address is ${first}, and not ${signer.first}.`)
}
