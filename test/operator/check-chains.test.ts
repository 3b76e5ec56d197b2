import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { deterministicDeployer } from '../../server/chains/evm/factory.ts'
import { presetOf } from '../../server/chains/presets/presets.ts'
import { isEvm, parseChainTable } from '../../server/chains/table.ts'
import { operate } from '../../server/operator/operate.ts'
import { type Anvil, startAnvil } from '../../local/chains/anvil.ts'
import { answering, becomeLike, text, tokenCode, uint } from '../chains/preset-chain.ts'

/** The command and the start, on a chain that answers as the preset of Base says, and then contradicts one row after the other. */

const base = presetOf(8453)
const usdc = base.tokens.find(({ symbol }) => symbol === 'USDC') as {
  address: string
  symbol: string
  decimals: number
  eip3009: { name: string; version: string }
}
const weth = base.tokens.find(({ symbol }) => symbol === 'WETH') as { address: string }
const folder = mkdtempSync(join(tmpdir(), 'till-check-chains-'))
const file = join(folder, 'chains.json')
const env = { TILL_CHAINS: file, OPERATOR: generatePrivateKey() }
const owner = privateKeyToAddress(generatePrivateKey())
let anvil: Anvil
const output: string[] = []

const table = (change: object = {}) => ({
  owner,
  chains: [{ chain_id: 8453, rpc_url: anvil.rpcUrl, operator: { env: 'OPERATOR' }, ...change }],
})
function check(change: object = {}, ...args: string[]) {
  writeFileSync(file, JSON.stringify(table(change)))
  return operate(['check-chains', ...args], env, (line) => output.push(line))
}
const start = (change: object = {}) =>
  createEvmChain(parseChainTable(table(change), env).filter(isEvm)[0]!).checkConfiguration(AbortSignal.timeout(60_000))
const setCode = (address: string, code: string) => anvil.ask(['anvil_setCode', address, code])
const lines = (kind: string) => output.filter((line) => line.startsWith(`  ${kind} `))

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 8453 })
})
afterAll(async () => {
  await anvil?.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  output.length = 0
  await becomeLike(anvil, base)
})

test('default: a chain that is as its preset says passes with three lines of configuration', async () => {
  await check()
  await start()
  expect(output[0]).toBe('chain 8453: Base, 12 confirmations, about 24 s')
  const rows = 2 + Object.keys(base.contracts).length + base.tokens.length - 1 + base.feeds.length
  expect(lines('ok')).toHaveLength(rows)
  expect(output.slice(1 + rows)).toEqual(base.leftOut.map((sentence) => `  left out ${sentence}`))
  expect(output).toContain(`  ok       USDC ${usdc.address.toLowerCase()}, 6 decimals, EIP-3009`)
})

describe('error: a contradiction that touches money stops the start', () => {
  const answers = { chainId: 8453, ...usdc }
  test.each([
    ['other decimals', usdc.address, tokenCode({ ...answers, decimals: 18 }), 'has 18 decimals, not 6'],
    ['no code at a token', usdc.address, '0x', 'has no code'],
    [
      'another EIP-712 domain',
      usdc.address,
      tokenCode({ ...answers, eip3009: { name: 'USDC', version: '2' } }),
      'has another EIP-712 domain',
    ],
    ['no Multicall3', base.contracts.multicall3!.address, '0x', 'Multicall3'],
  ])('%s', async (_, address, code, message) => {
    await setCode(address, code)
    await expect(start()).rejects.toThrow(message)
    await expect(start()).rejects.toMatchObject({ code: 'chain_misconfigured' })
    await expect(check()).rejects.toThrow('1 of 1 differences stop the service’s start.')
    expect(lines('refused')).toHaveLength(1)
    expect(lines('refused')[0]?.toLowerCase()).toContain(address.toLowerCase())
  })
})

describe('behavior: any other difference is reported, and the service starts', () => {
  const answers = { chainId: 8453, ...usdc }
  test.each([
    ['another symbol', usdc.address, tokenCode({ ...answers, symbol: 'USDC.e' }), 'calls itself "USDC.e"'],
    [
      'a token that does not say its domain',
      usdc.address,
      tokenCode({ ...answers, eip3009: undefined }),
      'does not say its EIP-712 domain',
    ],
    ['a token that does not say its decimals', weth.address, answering({ symbol: text('WETH') }), 'does not say its decimals'],
    ['no Permit2', base.contracts.permit2!.address, '0x', 'has no code'],
    ['no deterministic deployer', deterministicDeployer, '0x', 'has no code'],
    [
      'a feed of another pair',
      base.feeds[0]!.address,
      answering({ decimals: uint(8), description: text('BTC / USD') }),
      'is not that feed',
    ],
    [
      'a feed with other decimals',
      base.feeds[0]!.address,
      answering({ decimals: uint(18), description: text(base.feeds[0]!.pair) }),
      'is not that feed',
    ],
  ])('%s', async (_, address, code, message) => {
    const [before] = await anvil.ask(['eth_getCode', address, 'latest'])
    await setCode(address, code)
    await start()
    await expect(check()).rejects.toThrow('1 difference; the service starts.')
    expect(lines('differs')).toEqual([expect.stringContaining(message)])
    await setCode(address, before as string)
  })
})

test('behavior: a symbol in bytes32 is read', async () => {
  const symbol = `0x${Buffer.from('WETH').toString('hex').padEnd(64, '0')}` as const
  await setCode(weth.address, answering({ decimals: uint(18), symbol }))
  await check()
})

test('behavior: a token of the preset that is not configured stops nothing', async () => {
  await setCode(usdc.address, '0x')
  const tokens = [{ address: weth.address, symbol: 'WETH', name: 'Wrapped Ether', decimals: 18 }]
  await start({ tokens })
  await expect(check({ tokens })).rejects.toThrow('1 difference; the service starts.')
})

test('behavior: many tokens are compared in several requests, each with its own answers', async () => {
  const tokens = Array.from({ length: 23 }, (_, at) => ({
    address: `0x${(at + 1).toString(16).padStart(40, 'c')}`,
    symbol: `T${at}`,
    name: `T${at}`,
    decimals: at,
  }))
  for (const token of tokens) await setCode(token.address, tokenCode({ chainId: 8453, ...token }))
  await start({ tokens })
  const wrong = tokens.map((token) => (token.symbol === 'T21' ? { ...token, decimals: 3 } : token))
  await expect(start({ tokens: wrong })).rejects.toThrow(`T21 ${tokens[21]!.address} has 21 decimals, not 3`)
})

test('error: a node of another chain, and a chain that is not configured', async () => {
  await expect(check({ chain_id: 10 })).rejects.toThrow('The node configured for chain 10 serves chain 8453.')
  await expect(check({}, '--chain', '1')).rejects.toThrow('--chain 1 is not in TILL_CHAINS.')
  await check({}, '--chain', '8453')
})

test('error: a node that does not answer is no contradiction', async () => {
  await expect(start({ rpc_url: 'http://127.0.0.1:1' })).rejects.toMatchObject({ code: 'chain_unavailable' })
})
