import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { freshness, type Price, type SourceAnswer } from '../../server/providers/prices.ts'
import { agreed, agreedPrices } from '../../server/providers/price-sources/agreed-prices.ts'
import type { PriceSource, PriceSourceName } from '../../server/providers/price-sources/price-source.ts'

const now = Date.parse('2026-11-24T10:00:00Z')
const names: readonly PriceSourceName[] = ['kraken', 'coinbase', 'chainlink']

/** Each source says this of every currency, or nothing. */
function pricesOf(said: readonly (string | Partial<Price> | undefined)[], isSingle = false) {
  const problems: (readonly SourceAnswer[])[] = []
  const sources = said.map((each, i): PriceSource => {
    const price = each === undefined ? undefined : { asOf: now, usd: '', ...(typeof each === 'string' ? { usd: each } : each) }
    return { name: names[i]!, get: async () => price, hasFailed: () => false }
  })
  const prices = agreedPrices({ sources, isSingle, clock: () => now, elapsed: () => 0, onProblem: (_, answers) => problems.push(answers) })
  return { prices, problems }
}

describe('what several sources say', () => {
  test('default: the first that another agrees with is the price, and it is as old as the older of both', async () => {
    const { prices } = pricesOf(['2500', { usd: '2510', asOf: now - 20_000 }, '2490'])
    expect(await prices.get('ETH')).toEqual({ usd: '2500', asOf: now - 20_000 })
  })

  test('behavior: who differs from all others is outvoted', async () => {
    const { prices } = pricesOf(['1', '2510', '2500'])
    expect(await prices.get('eth')).toMatchObject({ usd: '2510' })
  })

  test.each([
    ['they differ by more than one percent', ['2500', '2525.01']],
    ['only one answers', ['2500', undefined]],
    ['the other is stale', ['2500', { usd: '2500', asOf: now - freshness.crypto - 1 }]],
    ['the other is dated in the future', ['2500', { usd: '2500', asOf: now + 6_000 }]],
    ['the other is zero', ['2500', '0']],
    ['the other is negative', ['-2500', '-2500']],
    ['nobody answers', [undefined, undefined]],
  ] as const)('error: there is no price if %s, and the log names what each source said', async (_, said) => {
    const { prices, problems } = pricesOf(said)
    expect(await prices.get('eth')).toBeUndefined()
    expect(problems).toHaveLength(1)
    expect(problems[0]?.map(({ source }) => source)).toEqual(names.slice(0, said.length))
  })

  test('behavior: exactly one percent apart agrees, and a fiat price may be a day old', async () => {
    expect(await pricesOf(['2500', '2525']).prices.get('eth')).toMatchObject({ usd: '2500' })
    const old = { usd: '0.055', asOf: now - freshness.fiat }
    expect(await pricesOf([old, '0.0552']).prices.get('mxn')).toEqual(old)
  })

  test('behavior: a single source counts where the operator has said so', async () => {
    expect(await pricesOf(['2500'], true).prices.get('eth')).toMatchObject({ usd: '2500' })
    expect(await pricesOf(['2500']).prices.get('eth')).toBeUndefined()
  })

  test('property: a price is always within one percent of what another source says, and never worse than all of them', () => {
    const usd = fc.oneof(
      fc.integer({ min: 1, max: 300 }).map((cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`),
      fc.constantFrom('0', '0.000000000000000000000000000000000001', '9'.repeat(30), '007', 'x'),
    )
    fc.assert(
      fc.property(fc.array(usd, { minLength: 1, maxLength: 5 }), (said) => {
        const answers = said.map((price): SourceAnswer => ({
          source: 'kraken',
          price: { usd: price, asOf: now },
          problem: Number(price) > 0 ? undefined : 'not a price',
        }))
        const price = agreed(answers, false)
        const usable = said.filter((each) => Number(each) > 0)
        const agrees = (a: string, b: string) => Math.abs(Number(a) - Number(b)) <= Math.min(Number(a), Number(b)) * 0.010000001
        if (price) expect(usable.filter((each) => agrees(each, price.usd)).length).toBeGreaterThanOrEqual(2)
        else
          for (const [i, each] of usable.entries())
            for (const other of usable.slice(i + 1))
              expect(Math.abs(Number(each) - Number(other))).toBeGreaterThan(Math.min(Number(each), Number(other)) * 0.009999999)
      }),
    )
  })
})

test('behavior: a source that hangs delays nobody who has a price already', async () => {
  let time = 0
  let isHanging = false
  const hang = new Promise<undefined>(() => undefined)
  const source = (name: PriceSourceName): PriceSource => ({
    name,
    get: async () => (isHanging ? hang : { usd: '1', asOf: now }),
    hasFailed: () => false,
  })
  const prices = agreedPrices({ sources: [source('kraken'), source('coinbase')], isSingle: false, clock: () => now, elapsed: () => time })
  await prices.get('dai')
  isHanging = true
  time = 10_000
  expect(await prices.get('dai')).toMatchObject({ usd: '1' })
})
