import { describe, expect, test } from 'vitest'
import { solanaOperator } from '../../../local/solana/accounts.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../../server/chains/solana/mints.ts'
import { ChainTableInvalid, parseChainTable } from '../../../server/chains/table.ts'
import { solanaConfig, solanaEntry, solanaEnv } from './support.ts'

function mistakes(more: object, env: Record<string, string> = solanaEnv): Record<string, string> {
  try {
    parseChainTable({ chains: [solanaEntry(more)] }, env)
  } catch (error) {
    if (error instanceof ChainTableInvalid) return Object.fromEntries(error.issues.map(({ path, message }) => [path, message]))
    throw error
  }
  return {}
}

const usdc = { address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', symbol: 'USDC', name: 'USD Coin', decimals: 6 }
const coin = { address: null, symbol: 'SOL', name: 'Solana', decimals: 9 }

describe('Solana in the table of chains', () => {
  test('default: an entry needs a node and keys, and its tokens are those of the cluster', () => {
    expect(solanaConfig({ network: undefined })).toMatchObject({
      family: 'solana',
      chainId: 30_000_000_000_001,
      genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
      rpcUrls: ['http://127.0.0.1:1'],
      tokens: [
        { symbol: 'USDC', address: usdc.address, decimals: 6, peg: 'usd' },
        { symbol: 'SOL', address: null, decimals: 9 },
      ],
      keys: { kind: 'local' },
      confirmations: 32,
    })
    const devnet = solanaConfig({ chain_id: 30_000_000_000_101, network: undefined })
    expect(devnet.tokens[0]?.address).toBe('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU')
    expect(devnet.genesis).toBe('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG')
  })

  test('behavior: a local cluster has a first block of its own', () => {
    expect(solanaConfig()).not.toHaveProperty('genesis')
  })

  test('behavior: keys may be in another service, which is known by two of its addresses', () => {
    const account = { remote_signer_url: 'http://signer', operator: solanaOperator.address, first_address: usdc.address }
    expect(solanaConfig({ account }, {}).keys).toEqual({
      kind: 'remote',
      url: 'http://signer',
      operator: solanaOperator.address,
      first: usdc.address,
    })
  })

  test('behavior: subscriptions are where nodes of Solana have them, unless the table says where, or that there are none', () => {
    const wsUrls = (more: object) => solanaConfig(more).wsUrls
    const urls = ['http://127.0.0.1:8899', 'https://rpc.example/v2?api-key=k', 'https://rpc.example:9000/']
    expect(wsUrls({ rpc_url: urls })).toEqual(['ws://127.0.0.1:8900/', 'wss://rpc.example/v2?api-key=k', 'wss://rpc.example:9001/'])
    expect(wsUrls({ rpc_url: urls, ws_url: 'wss://other.example/' })).toEqual(['wss://other.example/'])
    expect(wsUrls({ ws_url: ['ws://a', 'ws://b'] })).toEqual(['ws://a', 'ws://b'])
    expect(wsUrls({ rpc_url: urls, ws_url: false })).toEqual([])
    for (const ws_url of ['https://a', true, [], null]) expect(Object.keys(mistakes({ ws_url }))).toEqual(['chains[0].ws_url'])
  })

  test('behavior: a token is of the Token program, unless the table says that it is of the other one', () => {
    const [of, other] = solanaConfig({ tokens: [usdc, { ...usdc, address: solanaOperator.address, token_program: 'token-2022' }] }).tokens
    expect([of?.program, other?.program]).toEqual([undefined, TOKEN_2022_PROGRAM_ADDRESS])
    expect(Object.keys(mistakes({ tokens: [{ ...usdc, token_program: 'other' }] }))).toEqual(['chains[0].tokens[0].token_program'])
  })

  test('behavior: addresses keep their case', () => {
    expect(solanaConfig({ tokens: [usdc] }).tokens[0]?.address).toBe(usdc.address)
  })

  test('error: keys that are missing, mistyped or of another account are named by their variables, and never shown', () => {
    const seed = 'the environment variable TEST_SOLANA_SEED must hold a seed (32 to 128 hex digits)'
    const operator = 'the environment variable TEST_SOLANA_OPERATOR must hold a private key as wallets export it (64 bytes in base58)'
    expect(mistakes({}, {})).toEqual({ 'chains[0].account.seed_env': seed, 'chains[0].account.operator_env': operator })
    const mistyped = solanaOperator.private_key.replace(/.$/, (last) => (last === '2' ? '3' : '2'))
    expect(mistakes({}, { ...solanaEnv, TEST_SOLANA_OPERATOR: mistyped })).toEqual({ 'chains[0].account.operator_env': operator })
  })

  test('error: contradictions are named with their paths', () => {
    expect(mistakes({ rpc_url: ['http://a', 'http://a'] })).toEqual({ 'chains[0].rpc_url': 'names a node twice' })
    expect(mistakes({ require_second_node: true })).toEqual({ 'chains[0].require_second_node': 'needs two nodes in rpc_url' })
    expect(mistakes({ tokens: [usdc, usdc, { ...coin, decimals: 18 }] })).toEqual({
      'chains[0].tokens[1].address': 'is listed twice',
      'chains[0].tokens[2].decimals': 'must be 9, as the native coin has',
    })
    expect(mistakes({ min_unit_price: 5, max_unit_price: 4 })).toEqual({ 'chains[0].min_unit_price': 'is above max_unit_price' })
  })

  test('error: an address that is too short is refused', () => {
    expect(mistakes({ tokens: [{ ...usdc, address: usdc.address.slice(0, 30) }] })['chains[0].tokens[0].address']).toMatch(/Solana address/)
  })
})
