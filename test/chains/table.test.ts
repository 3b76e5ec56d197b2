import { describe, expect, test } from 'vitest'
import { isChainId } from '../../src/wire/chain.ts'
import { presetOf, presets } from '../../server/chains/presets/presets.ts'
import { ChainTableInvalid, isEvm, parseChainTable } from '../../server/chains/table.ts'

const owner = '0x00000000000000000000000000000000000000AA'
const key = `0x${'11'.repeat(32)}`
const usdc = { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', symbol: 'USDC', name: 'USD Coin', decimals: 6 }
const base = {
  chain_id: 8453,
  rpc_url: 'https://mainnet.base.org',
  confirmations: 10,
  tokens: [usdc, { address: null, symbol: 'ETH', name: 'Ether', decimals: 18 }],
  operator: { env: 'BASE_KEY' },
}
const env = { BASE_KEY: key }

function mistakes(json: unknown): Record<string, string> {
  try {
    parseChainTable(json, env)
  } catch (error) {
    if (error instanceof ChainTableInvalid) return Object.fromEntries(error.issues.map(({ path, message }) => [path, message]))
    throw error
  }
  return {}
}

describe('table of chains', () => {
  test('behavior: reads a chain with defaults, lower-case addresses and the factory derived from the owner', () => {
    const [config] = parseChainTable({ owner, chains: [base] }, env)
    expect(config).toMatchObject({
      chainId: 8453,
      rpcUrls: ['https://mainnet.base.org'],
      requireSecondNode: false,
      confirmations: 10,
      maxRange: 500,
      pollMs: 1000,
      operator: { kind: 'local', privateKey: key },
      factory: { owner: owner.toLowerCase(), address: expect.stringMatching(/^0x[0-9a-f]{40}$/) },
      tokens: [
        { chainId: 8453, address: usdc.address.toLowerCase(), priceId: 'USDC' },
        { address: null, priceId: 'ETH' },
      ],
    })
  })

  test('behavior: derives the same factory on every chain, and another one from another owner', () => {
    const two = parseChainTable({ owner, chains: [base, { ...base, chain_id: 1 }] }, env).filter(isEvm)
    expect(new Set(two.map(({ factory }) => factory.address)).size).toBe(1)
    const [other] = parseChainTable({ owner: owner.replace('AA', 'BB'), chains: [base] }, env).filter(isEvm)
    expect(other!.factory.address).not.toBe(two[0]!.factory.address)
  })

  test('behavior: accepts a remote signer, several nodes, and every option', () => {
    const operator = { remote_signer_url: 'http://signer.internal:9000', address: owner }
    const token = { ...usdc, price_id: 'usd-coin', eip3009: { name: 'USD Coin', version: '2' } }
    const rpc_url = ['https://a.example', 'https://b.example/key']
    const exchange = { router: owner, quoter: usdc.address, factory: owner, wrapped: usdc.address }
    const [config] = parseChainTable(
      {
        owner,
        chains: [{ ...base, rpc_url, operator, tokens: [token], max_range: 5, exchange, require_second_node: true, block_seconds: 0.4 }],
      },
      {},
    )
    expect(config).toMatchObject({
      rpcUrls: rpc_url,
      requireSecondNode: true,
      blockSeconds: 0.4,
      operator: { kind: 'remote', address: owner.toLowerCase() },
      maxRange: 5,
      exchange: Object.fromEntries(Object.entries(exchange).map(([name, address]) => [name, address.toLowerCase()])),
    })
    expect(config!.tokens[0]).toMatchObject({ priceId: 'usd-coin', eip3009: { name: 'USD Coin', version: '2' } })
  })

  const least = { chain_id: 8453, rpc_url: 'https://mainnet.base.org', operator: { env: 'BASE_KEY' } }

  test('behavior: takes confirmations and tokens from the preset where the entry has none', () => {
    const [config] = parseChainTable({ owner, chains: [least] }, env)
    expect(config).toMatchObject({ confirmations: presetOf(8453).confirmations.blocks, maxRange: 500, maxFeePerGas: 50_000_000_000n })
    const [given] = parseChainTable({ owner, chains: [{ ...least, max_fee_gwei: 0.05 }] }, env)
    expect(given).toMatchObject({ maxFeePerGas: 50_000_000n })
    expect(config!.tokens).toEqual([
      {
        chainId: 8453,
        address: usdc.address.toLowerCase(),
        symbol: 'USDC',
        name: 'USD Coin',
        decimals: 6,
        peg: 'usd',
        eip3009: { name: 'USD Coin', version: '2' },
        priceId: 'USDC',
      },
      { chainId: 8453, address: null, symbol: 'ETH', name: 'Ether', decimals: 18, priceId: 'ETH' },
      expect.objectContaining({ symbol: 'WETH', decimals: 18, priceId: 'ETH' }),
      expect.objectContaining({ symbol: 'DAI', decimals: 18, priceId: 'DAI' }),
    ])
  })

  test.each(presets.filter(({ chainId }) => isChainId(chainId)).map(({ chain, chainId }) => [chain.name, chainId] as const))(
    'behavior: %s needs no more than its id, a node and an operator',
    (_, chain_id) => {
      const [config] = parseChainTable({ owner, chains: [{ ...least, chain_id }] }, env)
      expect(config).toMatchObject({ chainId: chain_id, confirmations: presetOf(chain_id).confirmations.blocks })
      expect(config!.tokens.some(({ address }) => address === null)).toBe(true)
    },
  )

  test('behavior: the exchange is the one of the preset unless the entry names another, or none', () => {
    const exchangeOf = (more: object) => parseChainTable({ owner, chains: [{ ...least, ...more }] }, env).filter(isEvm)[0]!.exchange
    const { uniswapSwapRouter02, uniswapQuoterV2, uniswapV3Factory, wrappedCoin } = presetOf(8453).contracts
    const named = { router: uniswapSwapRouter02, quoter: uniswapQuoterV2, factory: uniswapV3Factory, wrapped: wrappedCoin }
    expect(exchangeOf({})).toEqual(Object.fromEntries(Object.entries(named).map(([name, row]) => [name, row!.address.toLowerCase()])))
    expect(exchangeOf({ exchange: false })).toBeUndefined()
    expect(() => exchangeOf({ exchange: owner })).toThrow('exchange: must be false, or {"router", "quoter", "factory", "wrapped"}')
  })

  test('behavior: what the entry has overrides the preset, and tokens are replaced as a whole', () => {
    const tokens = [{ ...usdc, decimals: 7 }]
    const [config] = parseChainTable({ owner, chains: [{ ...least, confirmations: 3, tokens }] }, env)
    expect(config).toMatchObject({ confirmations: 3, tokens: [{ decimals: 7, symbol: 'USDC' }] })
    expect(config!.tokens).toHaveLength(1)
    expect(config!.tokens[0]).not.toHaveProperty('eip3009')
  })

  test('behavior: a test network is configured like any chain', () => {
    expect(parseChainTable({ owner, chains: [{ ...least, chain_id: 84532 }] }, env)).toMatchObject([{ chainId: 84532 }])
  })

  test('error: names every mistake of shape by its path', () => {
    const wrong = {
      ...base,
      chain_id: 1,
      rpc_url: 'wss://x',
      confirmations: 0,
      tokens: [{ ...usdc, address: '0x12', decimals: 1.5, name: undefined }],
      operator: {},
      colour: 1,
    }
    expect(mistakes({ owner: 'me', chains: [base, wrong] })).toEqual({
      owner: expect.stringContaining('EVM address'),
      'chains[1].rpc_url': expect.any(String),
      'chains[1].confirmations': 'must be at least 1',
      'chains[1].tokens[0].address': expect.stringContaining('EVM address'),
      'chains[1].tokens[0].decimals': expect.any(String),
      'chains[1].tokens[0].name': 'is missing',
      'chains[1].operator': expect.stringContaining('{"env": "NAME"}'),
      'chains[1]': expect.stringContaining('colour'),
    })
    expect(mistakes('nonsense')).toHaveProperty('the file')
    // Without a known chain nobody can say which members its entry has.
    for (const chain_id of [999, '1', 30_000_000_000_002])
      expect(mistakes({ owner, chains: [base, { ...base, chain_id }] })).toEqual({
        'chains[1].chain_id': expect.stringMatching(/^is not a chain that Till serves: .*1, .*8453, .*20000000000001, .*30000000000001/),
      })
    const { symbol: _, ...unnamed } = usdc
    expect(mistakes({ owner, chains: [{ ...base, tokens: [unnamed] }] })).toEqual({ 'chains[0].tokens[0].symbol': 'is missing' })
  })

  test('error: names contradictions and never prints the key', () => {
    const native = { address: null, symbol: 'ETH', name: 'Ether', decimals: 8, eip3009: { name: 'x', version: '1' } }
    const found = mistakes({ owner, chains: [base, { ...base, tokens: [usdc, usdc, native], operator: { env: 'MISSING' } }] })
    expect(found).toEqual({
      'chains[1].chain_id': 'is listed twice',
      'chains[1].tokens[1].address': 'is listed twice',
      'chains[1].tokens[2].decimals': expect.stringContaining('18'),
      'chains[1].tokens[2].eip3009': expect.any(String),
      'chains[1].operator.env': expect.stringContaining('MISSING must hold a private key'),
    })
    const { rpc_url } = base
    expect(mistakes({ owner, chains: [{ ...base, rpc_url: [rpc_url, rpc_url] }] })).toEqual({ 'chains[0].rpc_url': 'names a node twice' })
    expect(mistakes({ owner, chains: [{ ...base, require_second_node: true }] })).toEqual({
      'chains[0].require_second_node': 'needs two nodes in rpc_url',
    })
    const bad = { BASE_KEY: `${key}22` }
    expect(() => parseChainTable({ owner, chains: [base] }, bad)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('1111') }),
    )
  })
})
