import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Token } from '../../server/chains/chain.ts'
import { currencySearch } from '../../server/currencies/currency-search.ts'
import type { Client } from '../support/client/client.ts'
import { type Stage, startStage } from '../support/service/stage.ts'

const token = (symbol: string, name: string, more: Partial<Token> = {}): Token => ({
  chainId: 8453,
  address: `0x${'0'.repeat(32)}${Buffer.from(symbol.padEnd(4)).toString('hex').slice(0, 8)}`,
  symbol,
  name,
  decimals: 18,
  priceId: symbol,
  ...more,
})

describe('ranking', () => {
  const usdc = token('USDC', 'USD Coin')
  const usdcEth = token('USDC', 'USD Coin', { chainId: 1 })
  const usdcx = token('USDCx', 'Wrapped')
  const fund = token('FND', 'USDC Fund')
  const vault = token('VLT', 'A vault of usdc')
  const curve = token('crvUSDC', 'Curve')
  const odd = token('ZZZ', 'Zed', { address: '0xab12000000000000000000000000000000000000' })
  const sol = token('SOLX', 'Solana thing', { chainId: 30000000000001, address: 'Ab12dCzz9xJ9' })
  const all = [odd, vault, curve, fund, usdcx, usdc, usdcEth, sol]
  const names = (typed: string, limit = 20, chainIds?: Set<number>) => currencySearch(all).find(typed, { limit, chainIds })

  test('default: the symbol itself, its prefix, the prefix of the name, a substring, the address', () => {
    expect(names('usdc')).toEqual([usdcEth, usdc, usdcx, fund, curve, vault])
    expect(names('usdc', 3)).toEqual([usdcEth, usdc, usdcx])
    expect(names('usdc', 20, new Set([1]))).toEqual([usdcEth])
  })

  test('behavior: the prefix of an address matches; its case counts where it is significant', () => {
    expect(names('0xAB12')).toEqual([odd])
    expect(names('Ab12d')).toEqual([sol])
    expect(names('ab12d')).toEqual([])
    expect(names('ab12')).toEqual([])
  })

  test('behavior: case, surrounding spaces and full-width letters do not matter; one letter matches nothing', () => {
    expect(names('  UsDc ')).toEqual(names('usdc'))
    expect(names('ＵＳＤＣ')).toEqual(names('usdc'))
    expect(names('u')).toEqual([])
    expect(names(' u ')).toEqual([])
    expect(names('')).toEqual([])
    expect(names('.*')).toEqual([])
  })
})

describe('the endpoint', () => {
  let stage: Stage
  let client: Client
  beforeAll(async () => {
    stage = await startStage({ mining: 'manual' })
    client = (await stage.merchant()).at(await stage.start())
  })
  afterAll(async () => {
    await stage?.close()
  })
  const find = async (query: Record<string, string>) =>
    (await client.ask('searchCurrencies', { query })).currencies.map(({ symbol, chain_id }) => `${symbol} ${chain_id}`)

  test('default', async () => {
    const { currencies } = await client.ask('searchCurrencies', { query: { q: 'usdc' } })
    const address = stage.base.token('USDC')
    expect(currencies.at(-1)).toEqual({
      address,
      chain_id: 8453,
      decimals: 6,
      id: `${address}-8453`,
      name: 'USD Coin',
      price_usd: 1,
      symbol: 'USDC',
    })
    expect(await find({ q: 'et' })).toEqual(['ETH 1', 'ETH 8453', 'USDT 1', 'USDT 8453', 'WETH 1', 'WETH 8453'])
    expect(await find({ q: stage.base.token('DAI').slice(0, 12).toUpperCase().replace('0X', '0x') })).toEqual(['DAI 1', 'DAI 8453'])
  })

  test('behavior: limits and filters apply', async () => {
    expect(await find({ q: 'us', limit: '1' })).toHaveLength(1)
    expect(await find({ q: 'us', chain_ids: '1' })).toEqual(['USDC 1', 'USDT 1'])
    expect(await find({ q: 'us', chain_ids: '10,30000000000001' })).toEqual([])
    expect(await find({ q: 'u' })).toEqual([])
    expect(await find({})).toEqual([])
  })

  test('error: invalid filters and limits are refused', async () => {
    const wrong: Record<string, string>[] = [
      ...['5', '1,5', 'base', '', '1,'].map((chain_ids) => ({ chain_ids })),
      ...['0', '51', 'x'].map((limit) => ({ limit })),
    ]
    for (const query of wrong) await client.refused('searchCurrencies', 400, { query: { q: 'usd', ...query } })
  })
})
