import uniswapList from '@uniswap/default-token-list'
import { DEFAULT_ASSETS, PERMIT2_ADDRESS } from '@x402/evm'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Chain, getAddress, isAddressEqual } from 'viem'
import * as viemChains from 'viem/chains'
import { usdc as viemUsdc } from 'viem/tokens'
import { describe, expect, test } from 'vitest'
import { chains } from '../../src/wire/chain.ts'
import { multicallAddress } from '../../server/chains/evm/balances.ts'
import type { Preset, Sourced } from '../../server/chains/presets/preset.ts'
import { isTestnet, presetOf, presets } from '../../server/chains/presets/presets.ts'
import { sources, type Source } from '../../server/chains/presets/sources.ts'

/** Its ES modules import without file extensions, which Node cannot load. */
const { CHAIN_TO_ADDRESSES_MAP, SWAP_ROUTER_02_ADDRESSES, WETH9 } = createRequire(import.meta.url)(
  '@uniswap/sdk-core',
) as typeof import('@uniswap/sdk-core')

/** The presets are compared with the packages they come from, so that neither a typing mistake nor a package's update passes unseen. */

type Row = Sourced<object>

/** Every object of a preset is a row, except the lists and groups that hold rows. */
const rowsOf = ({ chain, confirmations, tokens, contracts, feeds, sequencer }: Preset): readonly Row[] => [
  chain,
  confirmations,
  ...tokens,
  ...Object.values(contracts),
  ...feeds,
  ...(sequencer ? [sequencer] : []),
]
const from = <R extends Row>(rows: readonly R[], source: Source): readonly R[] => rows.filter((row) => row.sources.includes(source))
const each = presets.map((preset) => [preset.chain.name, preset] as const)

test('default: every EVM chain has a preset, and the testnets are the two of Sepolia', () => {
  const evm = Object.entries(chains).filter(([, { family }]) => family === 'evm')
  expect(presets.map(({ chainId }) => chainId).toSorted((a, b) => a - b)).toEqual(evm.map(([id]) => Number(id)).toSorted((a, b) => a - b))
  expect(presets.map(({ chainId }) => chainId).filter(isTestnet)).toEqual([84532, 11155111])
})

test('default: of the chains of Bitcoin, testnet4 and signet are test networks', () => {
  const bitcoin = Object.entries(chains).flatMap(([id, { family }]) => (family === 'bitcoin' ? [Number(id)] : []))
  expect(bitcoin.filter(isTestnet)).toEqual([20000000000101, 20000000000102])
  expect(bitcoin.filter((id) => !isTestnet(id))).toEqual([20000000000001])
})

test.each(each)('behavior: every row of %s has a source', (_, preset) => {
  const unsourced = rowsOf(preset).filter((row) => !row.sources?.length || row.sources.some((source) => !Object.hasOwn(sources, source)))
  expect(unsourced).toEqual([])
})

test.each(each)('behavior: the addresses of %s have the right checksum and are listed once', (_, { tokens, contracts, feeds }) => {
  // What wraps the coin is part of the exchange, whether or not it is among the tokens.
  const { wrappedCoin, ...others } = contracts
  const listed = [...tokens, ...feeds, ...Object.values(others)].flatMap(({ address }) => address ?? [])
  expect(listed).toEqual(listed.map((address) => getAddress(address)))
  expect(new Set(listed).size).toBe(listed.length)
  expect(wrappedCoin?.address).toBe(wrappedCoin && getAddress(wrappedCoin.address))
})

test('behavior: the installed packages are the versions that were read', () => {
  const versionOf = (name: string) => (JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }).version
  for (const name of ['viem', '@x402/evm', '@uniswap/default-token-list', '@uniswap/sdk-core'])
    expect(
      Object.values(sources).some((source) => source.startsWith(`${name}@${versionOf(name)}, `) || source === `${name}@${versionOf(name)}`),
      name,
    ).toBe(true)
})

describe.each(each)('%s', (_, { chainId, chain, tokens, contracts, feeds }) => {
  const viemChain: Chain = Object.values(viemChains).find((known) => known.id === chainId)!

  test('behavior: chain facts are those of viem', () => {
    expect({ native: chain.native, explorer: chain.explorer, blockMs: chain.blockMs }).toEqual({
      native: viemChain.nativeCurrency,
      explorer: viemChain.blockExplorers?.default.url,
      blockMs: viemChain.blockTime,
    })
    expect(tokens.find(({ address }) => address === null)).toMatchObject({ symbol: chain.native.symbol, decimals: chain.native.decimals })
  })

  test('behavior: Multicall3 and Permit2 are those of viem and x402', () => {
    expect(viemChain.contracts?.multicall3?.address.toLowerCase()).toBe(contracts.multicall3?.address.toLowerCase())
    expect(contracts.multicall3?.address.toLowerCase()).toBe(multicallAddress)
    expect(contracts.permit2?.address).toBe(PERMIT2_ADDRESS)
  })

  test('behavior: the exchange is the one of Uniswap’s SDK', () => {
    const known = CHAIN_TO_ADDRESSES_MAP[chainId as 1]
    const canonical = (address: string | undefined) => address && getAddress(address)
    expect({
      factory: contracts.uniswapV3Factory?.address,
      router: contracts.uniswapSwapRouter02?.address,
      manager: contracts.uniswapV4PoolManager?.address,
      quoter: contracts.uniswapV4Quoter?.address,
    }).toEqual({
      factory: canonical(known.v3CoreFactoryAddress),
      router: canonical(SWAP_ROUTER_02_ADDRESSES(chainId)),
      manager: canonical(known.v4PoolManagerAddress),
      quoter: canonical(known.v4QuoterAddress),
    })
    expect(contracts.wrappedCoin?.address).toBe(canonical(WETH9[chainId]?.address))
    // On the oldest chains the SDK names the first quoter.
    for (const { address } of from(contracts.uniswapQuoterV2 ? [contracts.uniswapQuoterV2] : [], 'uniswap-sdk'))
      expect(address).toBe(canonical((known as { quoterAddress?: string }).quoterAddress))
  })

  test('behavior: tokens of Uniswap’s list and SDK have the same symbol and decimals there', () => {
    for (const { address, symbol, decimals } of from(tokens, 'uniswap-list'))
      expect(
        uniswapList.tokens.find((token) => token.chainId === chainId && isAddressEqual(token.address as '0x', address as '0x')),
      ).toMatchObject({ symbol, decimals })
    for (const { address, symbol, decimals } of from(tokens, 'uniswap-sdk'))
      expect(WETH9[chainId] ?? {}).toMatchObject({ address, symbol, decimals })
  })

  test('behavior: USDC is viem’s, and its EIP-712 domain is x402’s', () => {
    for (const { address, symbol, decimals } of from(tokens, 'viem').filter((token) => token.address !== null))
      expect({ address, symbol, decimals }).toEqual({
        address: viemUsdc.addresses[chainId as 1],
        symbol: viemUsdc.symbol,
        decimals: viemUsdc.decimals,
      })
    const known = DEFAULT_ASSETS[`eip155:${chainId}`] ?? []
    expect(tokens.flatMap(({ address, decimals, eip3009 }) => (eip3009 ? { asset: address, decimals, ...eip3009 } : []))).toEqual(
      known.map(({ asset, decimals, name, version }) => ({ asset, decimals, name, version })),
    )
  })

  test('behavior: a feed is listed once for its pair', () => {
    expect(new Set(feeds.map(({ pair }) => pair)).size).toBe(feeds.length)
  })
})

test('behavior: docs/chains.md lists the confirmations and tokens of every chain', () => {
  const rows = readFileSync('docs/chains.md', 'utf8').matchAll(/^\| (\d+) ([^|]+) \| (\d+), [^|]+ \| ([^|]+) \|$/gm)
  expect([...rows].map(([, ...row]) => row)).toEqual(
    presets.map(({ chainId, chain, confirmations, tokens }) => [
      String(chainId),
      chain.name,
      String(confirmations.blocks),
      tokens.map(({ symbol }) => symbol).join(', '),
    ]),
  )
})

test('behavior: docs/chains.md says how much each chain may ask for a unit of gas', () => {
  const [, listed] = /^`max_fee_gwei` is (.+)\.$/m.exec(readFileSync('docs/chains.md', 'utf8'))!
  const rows = listed!.split('; ').map((row) => row.split(/\D+/).map(Number))
  const feeOf = (chainId: number) => (rows.find(([, ...ids]) => ids.includes(chainId)) ?? rows.at(-1)!)[0]
  expect(presets.map(({ chainId }) => feeOf(chainId))).toEqual(presets.map(({ maxFeeGwei }) => maxFeeGwei))
})

test('error: a chain without a preset is refused', () => {
  expect(() => presetOf(5)).toThrow('chain 5 has no preset')
})
