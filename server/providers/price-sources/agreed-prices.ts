import { maxDecimals, parseUnits } from '../../../src/wire/money.ts'
import { isFiat, type Price, type Prices, problemOf, type SourceAnswer } from '../prices.ts'
import type { PriceSource } from './price-source.ts'

const refreshAfterMs = 2_000
/** A price is served for this long during a refresh, since some prices are read inside transactions, which should not wait for it. */
const usableMs = 15_000
/** Two prices agree if the higher one is at most one percent above the other. */
const leastRatio = 100n

export interface AgreedPricesParts {
  readonly sources: readonly PriceSource[]
  /** Where only one source is configured, nobody has to agree with it. */
  readonly isSingle: boolean
  readonly clock: () => number
  readonly elapsed: () => number
  /** Called whenever a price that was asked for cannot be used. */
  readonly onProblem?: (id: string, answers: readonly SourceAnswer[]) => void
}

/** The sources are asked concurrently. The first of them that another agrees with is the price, and is as old as the older of both. */
export function agreedPrices(parts: AgreedPricesParts): Prices {
  const { elapsed, onProblem } = parts
  const known = new Map<string, { readonly price: Price | undefined; readonly readAt: number }>()
  const reading = new Map<string, Promise<Price | undefined>>()
  const read = async (id: string) => {
    const answers = await askSources(parts, id)
    const price = agreed(answers, parts.isSingle)
    if (!price) onProblem?.(id, answers)
    known.set(id, { price, readAt: elapsed() })
    reading.delete(id)
    return price
  }
  return {
    answers: (id) => askSources(parts, id.toLowerCase()),
    async get(name) {
      const id = name.toLowerCase()
      const before = known.get(id)
      const age = before ? elapsed() - before.readAt : Infinity
      if (age > refreshAfterMs && !reading.has(id)) reading.set(id, read(id))
      return before?.price && age <= usableMs ? before.price : reading.has(id) ? reading.get(id) : before?.price
    },
  }
}

export async function askSources(
  { sources, clock }: Pick<AgreedPricesParts, 'sources' | 'clock'>,
  id: string,
): Promise<readonly SourceAnswer[]> {
  const kind = isFiat(id) ? 'fiat' : 'crypto'
  return Promise.all(
    sources.map(async (source) => {
      const price = await source.get(id)
      const problem = !price && source.hasFailed(id) ? 'unreachable' : problemOf(price, kind, clock())
      return { source: source.name, price, problem }
    }),
  )
}

export function agreed(answers: readonly SourceAnswer[], isSingle: boolean): Price | undefined {
  const usable = answers.flatMap(({ price, problem }) => (price && problem === undefined ? [price] : []))
  if (isSingle) return usable[0]
  for (const price of usable) {
    const other = usable.find((candidate) => candidate !== price && isClose(candidate.usd, price.usd))
    if (other) return { usd: price.usd, asOf: Math.min(price.asOf, other.asOf) }
  }
  return undefined
}

function isClose(a: string, b: string): boolean {
  const [one, other] = [parsed(a), parsed(b)]
  const [low, high] = one < other ? [one, other] : [other, one]
  return (high - low) * leastRatio <= low
}

/** A price may begin with zeros, which amounts may not. */
const parsed = (usd: string): bigint => parseUnits(usd.replace(/^0+(?=\d)/, ''), maxDecimals) ?? 0n
