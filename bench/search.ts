import { createHash } from 'node:crypto'
import type { Token } from '../server/chains/chain.ts'
import { currencySearch } from '../server/currencies/currency-search.ts'
import { type Figure, percentile } from './figures.ts'

/** The search runs over this many tokens, and serialising the response is included in the figure. */
const count = 10_000
const rounds = 1_000

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const tokens: Token[] = Array.from({ length: count }, (_, index) => {
  const hash = digest(`token ${index}`)
  const symbol = ['USD', 'ETH', 'BTC', 'wst', 'x'][index % 5] + hash.slice(0, 3).toUpperCase()
  return {
    chainId: index % 2 ? 1 : 8453,
    address: `0x${hash.slice(0, 40)}`,
    symbol,
    name: `${symbol} token ${hash.slice(4, 12)}`,
    decimals: 18,
    priceId: symbol,
  }
})

const typed = Array.from({ length: 200 }, (_, index) => {
  const token = tokens[(index * 7919) % count]!
  return [token.symbol.slice(0, 2), token.symbol, token.name.slice(4, 9), token.address!.slice(0, 6 + (index % 10)), 'nothing like it'][
    index % 5
  ]!
})

/** The baseline compares the text with every token, every time. */
const scan = (text: string): readonly Token[] =>
  tokens.filter((token) => `${token.symbol} ${token.name} ${token.address}`.toLowerCase().includes(text.toLowerCase())).slice(0, 50)

function p99(find: (text: string, index: number) => unknown): number {
  const took = Array.from({ length: rounds }, (_, index) => {
    const start = performance.now()
    JSON.stringify(find(typed[index % typed.length]!, index))
    return performance.now() - start
  })
  return percentile(took, 0.99)
}

export async function searchFigures(): Promise<Figure[]> {
  const search = currencySearch(tokens)
  return [
    {
      what: `currency search over ${count.toLocaleString('en')} tokens, p99`,
      unit: 'ms',
      till: p99((text, index) => search.find(text, { limit: 50, chainIds: index % 3 ? undefined : new Set([8453]) })),
      plain: p99(scan),
      by: 'a loop over all of them',
      budget: 20,
    },
  ]
}
