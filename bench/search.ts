import { createHash } from 'node:crypto'
import type { Token } from '../server/chains/chain.ts'
import { currencySearch } from '../server/resources/currencySearch.ts'

/** Currency search over 10,000 tokens, everything that happens between the request being read and the answer being written. */
export const limitMs = 20
const count = 10_000
const rounds = 5_000

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

/** The 99th of 100, in milliseconds. */
export const searchP99 = (): number => {
  const search = currencySearch(tokens)
  const took = Array.from({ length: rounds }, (_, index) => {
    const start = performance.now()
    JSON.stringify(search.find(typed[index % typed.length]!, { limit: 50, chainIds: index % 3 ? undefined : new Set([8453]) }))
    return performance.now() - start
  }).sort((a, b) => a - b)
  return took[Math.floor(rounds * 0.99)]!
}

if (import.meta.filename === process.argv[1]) {
  const p99 = searchP99()
  console.log(`currency search, ${count} tokens: p99 ${p99.toFixed(2)} ms of ${limitMs}`)
  if (p99 > limitMs) process.exitCode = 1
}
