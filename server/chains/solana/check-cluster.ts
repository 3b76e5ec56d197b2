import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { ChainMisconfigured } from '../chain-misconfigured.ts'
import { genesisCall, mintsCall } from './calls.ts'
import type { SolanaRpc } from './rpc-client.ts'
import type { SolanaSigner } from './signer.ts'
import type { SolanaConfig } from './solana-config.ts'

/** Refuses where money would be lost: another cluster, another signer than the one whose addresses orders have, or a token that is not what is configured. */
export async function checkCluster(rpc: SolanaRpc, signer: SolanaSigner, config: SolanaConfig, signal: AbortSignal): Promise<void> {
  const { chainId, genesis, tokens } = config
  const mints = tokens.flatMap(({ address, symbol, decimals }) => (address === null ? [] : [{ address, symbol, decimals }]))
  const [hash, { value: accounts }] = await rpc.read(signal, genesisCall(), mintsCall(mints.map(({ address }) => address)))
  const wrongCluster = genesis !== undefined && hash !== genesis
  const wrongTokens = mints.flatMap(({ address, symbol, decimals }, i) => {
    const problem = problemOf(accounts[i] ?? null, decimals)
    return problem === undefined ? [] : [`${symbol} (${address}) ${problem}`]
  })
  const contradictions = wrongCluster ? [`its nodes serve another cluster (${hash})`] : wrongTokens
  if (contradictions.length > 0)
    throw new ChainMisconfigured(`Chain ${chainId} contradicts its configuration: ${contradictions.join('; ')}.`)
  const [first] = await signer.addresses(0, 1, signal)
  if (first !== signer.first)
    throw new ChainMisconfigured(`Chain ${chainId} has another signer: its first address is ${first}, and not ${signer.first}.`)
}

const mintSize = 82
const [decimalsAt, isInitializedAt] = [44, 45]

function problemOf(
  account: { readonly owner: string; readonly data: readonly [string, 'base64'] } | null,
  decimals: number,
): string | undefined {
  if (!account) return 'does not exist'
  if (account.owner !== TOKEN_PROGRAM_ADDRESS) return 'is not a token of the Token program'
  const data = Buffer.from(account.data[0], 'base64')
  if (data.length !== mintSize || data[isInitializedAt] !== 1) return 'is not a mint'
  return data[decimalsAt] === decimals ? undefined : `has ${data[decimalsAt]} decimals and not ${decimals}`
}
