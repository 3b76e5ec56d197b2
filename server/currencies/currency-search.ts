import { chains } from '../../src/wire/chain.ts'
import { nativeAddress } from '../../src/wire/currency.ts'
import type { Token } from '../chains/chain.ts'

export interface CurrencySearch {
  /** Returns the best matches first: exact symbol, prefix of the symbol, prefix of the name, part of either, prefix of the address. */
  find(typed: string, options: { readonly limit: number; readonly chainIds?: ReadonlySet<number> }): Token[]
}

interface Entry {
  readonly token: Token
  readonly symbol: string
  readonly name: string
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()
const minLength = 2

/** Sorts all tokens once. A search scans only those with the query's rarest pair of adjacent characters, and bisects sorted addresses. */
export function currencySearch(tokens: readonly Token[]): CurrencySearch {
  const byName = new Intl.Collator('en').compare
  const entries = tokens
    .map((token): Entry => ({ token, symbol: folded(token.symbol), name: folded(token.name) }))
    .sort(
      (a, b) =>
        byName(a.symbol, b.symbol) ||
        a.token.chainId - b.token.chainId ||
        byName(a.name, b.name) ||
        (addressOf(a.token) < addressOf(b.token) ? -1 : 1),
    )
  const byPair = new Map<string, Entry[]>()
  for (const entry of entries) {
    for (const pair of new Set([...pairsOf(entry.symbol), ...pairsOf(entry.name)])) {
      const list = byPair.get(pair)
      if (list) list.push(entry)
      else byPair.set(pair, [entry])
    }
  }
  const byAddress = entries
    .map(({ token }) => ({ token, address: addressOf(token) }))
    .sort((a, b) => (a.address === b.address ? 0 : a.address < b.address ? -1 : 1))

  const named = (text: string): readonly Entry[] =>
    pairsOf(text)
      .map((pair) => byPair.get(pair) ?? [])
      .reduce((rarest, list) => (list.length < rarest.length ? list : rarest))

  /** Finds tokens by a prefix of their address. `isAnyCase` selects those of EVM, whose case does not matter. */
  const addressed = (prefix: string, isAnyCase: boolean, wanted: (token: Token) => boolean, limit: number): Token[] => {
    let [low, high] = [0, byAddress.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((byAddress[middle]?.address ?? '') < prefix) low = middle + 1
      else high = middle
    }
    const found: Token[] = []
    for (let at = low; found.length < limit; at++) {
      const entry = byAddress[at]
      if (!entry?.address.startsWith(prefix)) break
      if ((chains[entry.token.chainId].family === 'evm') === isAnyCase && wanted(entry.token)) found.push(entry.token)
    }
    return found
  }

  return {
    find(typed, { limit, chainIds }) {
      const exact = typed.trim()
      const text = folded(exact)
      if (text.length < minLength) return []
      const wanted = (token: Token) => !chainIds || chainIds.has(token.chainId)
      const ranked: Token[][] = [[], [], [], []]
      for (const entry of named(text)) {
        const bucket = ranked[rankOf(entry, text)]
        if (bucket && bucket.length < limit && wanted(entry.token)) bucket.push(entry.token)
      }
      const found = new Set(ranked.flat())
      if (found.size < limit) for (const token of addressed(text, true, wanted, limit)) found.add(token)
      if (found.size < limit) for (const token of addressed(exact, false, wanted, limit)) found.add(token)
      return [...found].slice(0, limit)
    },
  }
}

const addressOf = ({ address }: Token): string => address ?? nativeAddress

const pairsOf = (text: string): string[] => Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2))

/** Returns 4, past the last rank, for a token that does not match. */
function rankOf({ symbol, name }: Entry, text: string): number {
  if (symbol.startsWith(text)) return symbol.length === text.length ? 0 : 1
  if (name.startsWith(text)) return 2
  return name.includes(text) || symbol.includes(text) ? 3 : 4
}
