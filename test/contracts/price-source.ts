import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isPrice } from '../../server/providers/prices.ts'
import type { PriceSource } from '../../server/providers/price-sources/price-source.ts'

/** Each implementation provides a publisher that answers as the real one does, in its documented shape. */
export interface PriceSourceUnderTest {
  /** The source may cache for this long. */
  readonly cacheForMs: number
  /** Creates a source that has read nothing yet. */
  create(elapsed: () => number): PriceSource
  /** These are the prices that the publisher's answer means, exactly. */
  readonly expected: Readonly<Record<string, string>>
  /** From now on the publisher answers like this. */
  publish(answer: 'usual' | 'silence' | 'garbage' | 'zero' | 'an error'): Promise<void>
  /** The time of the publisher's prices, in unix milliseconds. */
  publishedAt(): Promise<number>
  stop(): Promise<void>
}

export function priceSourceContract(name: string, start: () => Promise<PriceSourceUnderTest>): void {
  describe(`price source contract: ${name}`, () => {
    let subject: PriceSourceUnderTest
    let now = 0
    const elapsed = () => now
    beforeAll(async () => {
      subject = await start()
    })
    afterAll(() => subject?.stop())
    beforeEach(() => subject.publish('usual'))

    test('default: prices are exact, and as old as the publisher says', async () => {
      const source = subject.create(elapsed)
      for (const [id, usd] of Object.entries(subject.expected)) {
        const price = await source.get(id)
        expect(price?.usd, id).toBe(usd)
        expect(isPrice(usd), id).toBe(true)
        expect(Math.abs((price?.asOf ?? 0) - (await subject.publishedAt())), id).toBeLessThanOrEqual(2_000)
      }
    })

    test('behavior: what is not published has no price', async () => {
      const source = subject.create(elapsed)
      for (const id of ['nothing', '', 'constructor', '__proto__', 'usd/', '../usdc', 'x'.repeat(500)])
        expect(await source.get(id), id).toBeUndefined()
    })

    test.each(['silence', 'garbage', 'zero', 'an error'] as const)('error: %s is no price', async (answer) => {
      await subject.publish(answer)
      const source = subject.create(elapsed)
      const prices = await Promise.all(Object.keys(subject.expected).map((id) => source.get(id)))
      expect(prices.filter((price) => price && isPrice(price.usd))).toEqual([])
    })

    test('behavior: while the publisher does not answer, the last price stays, as old as it is, and the next answer counts', async () => {
      const source = subject.create(elapsed)
      const [[id, usd]] = Object.entries(subject.expected) as [[string, string]]
      const first = await source.get(id)
      expect(source.hasFailed(id)).toBe(false)
      await subject.publish('an error')
      now += subject.cacheForMs + 1
      expect(await source.get(id)).toEqual(first)
      expect(source.hasFailed(id)).toBe(true)
      await subject.publish('usual')
      now += subject.cacheForMs + 1
      expect((await source.get(id))?.usd).toBe(usd)
      expect(source.hasFailed(id)).toBe(false)
    })
  })
}
