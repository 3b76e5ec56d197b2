import type { Chain } from '../chains/chain.ts'
import { isFiat, type Price, type Prices, problemOf } from '../providers/prices.ts'
import { FiatCurrency } from '../../src/wire/currency.ts'
import { type Figures, figuresOf, type ReadingTools } from './figures.ts'

interface Priced {
  readonly id: string
  readonly kind: 'crypto' | 'fiat'
  readonly price: Price | undefined
  readonly isUsable: boolean
  readonly age: number
  readonly sources: readonly { readonly source: string; readonly isUsable: boolean }[]
}

/** The currencies are those of the configured tokens, and the fiat units, so their number does not depend on anybody's orders. */
export function priceFigures(prices: Prices, chains: readonly Pick<Chain, 'tokens'>[], now: () => number, tools: ReadingTools): Figures {
  const tokens = chains.flatMap((chain) => chain.tokens.map(({ priceId }) => priceId.toLowerCase()))
  const ids = new Set([...tokens, ...FiatCurrency.options].filter((id) => id !== 'usd'))
  const read = async (id: string): Promise<Priced> => {
    const kind = isFiat(id) ? 'fiat' : 'crypto'
    const [price, answers = []] = await Promise.all([prices.get(id), prices.answers?.(id)])
    return {
      id,
      kind,
      price,
      isUsable: problemOf(price, kind, now()) === undefined,
      age: price ? Math.max(0, now() - price.asOf) / 1000 : 0,
      sources: answers.map(({ source, problem }) => ({ source, isUsable: problem === undefined })),
    }
  }
  return figuresOf(
    ['prices'],
    (name) => ({ name, work: () => Promise.all([...ids].map(read)) }),
    [
      {
        name: 'till_price_usable',
        help: 'Whether there is a price of which enough sources are sure (1), or quotes in this currency are refused (0)',
        labels: ['currency', 'kind'],
        samples: (priced) => priced.map(({ id, kind, isUsable }) => ({ labels: { currency: id, kind }, value: isUsable ? 1 : 0 })),
      },
      {
        name: 'till_price_age_seconds',
        help: 'Age of the price that quotes use',
        labels: ['currency', 'kind'],
        samples: (priced) => priced.flatMap(({ id, kind, price, age }) => (price ? [{ labels: { currency: id, kind }, value: age }] : [])),
      },
      {
        name: 'till_price_source_usable',
        help: 'Whether a source of prices has a price of the currency that is fresh enough (1) or not (0)',
        labels: ['currency', 'source'],
        samples: (priced) =>
          priced.flatMap(({ id, sources }) =>
            sources.map(({ source, isUsable }) => ({ labels: { currency: id, source }, value: isUsable ? 1 : 0 })),
          ),
      },
    ],
    tools,
  )
}
