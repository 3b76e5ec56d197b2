import { solanaOperator, solanaSeed } from '../../../local/solana/accounts.ts'
import type { LocalSolana } from '../../../local/solana/start-local-solana.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../../server/chains/solana/mints.ts'
import type { SolanaConfig } from '../../../server/chains/solana/solana-config.ts'
import { parseChainTable } from '../../../server/chains/table.ts'

export const solanaEnv = { TEST_SOLANA_SEED: solanaSeed, TEST_SOLANA_OPERATOR: solanaOperator.private_key }

/** An entry of the table of chains, for a cluster whose operator has the keys of local mode. */
export const solanaEntry = (more: object = {}) => ({
  chain_id: 30_000_000_000_001,
  network: 'local',
  rpc_url: 'http://127.0.0.1:1',
  account: { seed_env: 'TEST_SOLANA_SEED', operator_env: 'TEST_SOLANA_OPERATOR' },
  ...more,
})

/** An entry for a cluster of local mode, with its tokens. */
export const localSolanaEntry = ({ node, config }: Pick<LocalSolana, 'node' | 'config'>, more: object = {}) =>
  solanaEntry({
    rpc_url: node.url,
    ws_url: node.wsUrl,
    tokens: config.tokens.map(({ address, symbol, name, decimals, program, peg }) => ({
      address,
      symbol,
      name,
      decimals,
      ...(program === TOKEN_2022_PROGRAM_ADDRESS && { token_program: 'token-2022' }),
      ...(peg && { peg }),
    })),
    ...more,
  })

export function solanaConfig(more: object = {}, env: Readonly<Record<string, string>> = solanaEnv): SolanaConfig {
  const [config] = parseChainTable({ chains: [solanaEntry(more)] }, env)
  if (config?.family !== 'solana') throw new Error('the table has no Solana chain')
  return config
}
