import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Coin, Swap, SwapAsk, SwapPrice } from '../../server/chains/swap.ts'

/** Each implementation provides a market, and a way to trade in it. */
export interface SwapUnderTest {
  readonly swap: Swap
  /** A pair with a direct pool; `amount` is small enough to have little price impact and `large` is not. */
  readonly direct: { readonly from: Coin; readonly to: Coin; readonly amount: bigint; readonly large: bigint }
  /** A pair that needs a third currency between. */
  readonly twoHops: { readonly from: Coin; readonly to: Coin; readonly amount: bigint }
  /** More of `direct.to` than the market holds. */
  readonly tooMuch: bigint
  readonly elsewhere: Coin
  readonly unknown: Coin
  /** Converts for an account that owns `amountIn` of `from` and returns the output. Rejects when the chain refuses it. */
  trade(from: Coin, to: Coin, amountIn: bigint, minOut: bigint): Promise<bigint>
  /** Makes the network unreachable. */
  silence(): Promise<void>
  stop(): Promise<void>
}

const signal = () => AbortSignal.timeout(60_000)

export function swapContract(name: string, start: () => Promise<SwapUnderTest>): void {
  describe(`swap contract: ${name}`, () => {
    let subject: SwapUnderTest
    beforeAll(async () => {
      subject = await start()
    })
    afterAll(() => subject?.stop())

    const ask = (more: Partial<SwapAsk> = {}) =>
      subject.swap.quote({
        from: subject.direct.from,
        to: subject.direct.to,
        amount: subject.direct.amount,
        tradeType: 'EXACT_INPUT',
        signal: signal(),
        ...more,
      })
    const priced = async (more?: Partial<SwapAsk>): Promise<SwapPrice> => {
      const price = await ask(more)
      if (price === 'no_route') throw new Error('no route')
      return price
    }

    test('default: the input is as requested, and trading it yields the quoted output', async () => {
      const { from, to, amount } = subject.direct
      const price = await priced()
      expect(price.amountIn).toBe(amount)
      expect(price.amountOut).toBeGreaterThan(0n)
      expect(await subject.trade(from, to, amount, price.amountOut)).toBe(price.amountOut)
    })

    test('behavior: the output is as requested, and trading the quoted input yields it', async () => {
      const { from, to } = subject.direct
      const out = (await priced()).amountOut
      const price = await priced({ amount: out, tradeType: 'EXACT_OUTPUT' })
      expect(price.amountOut).toBe(out)
      expect(await subject.trade(from, to, price.amountIn, out)).toBeGreaterThanOrEqual(out)
    })

    test('behavior: a round trip never gains', async () => {
      const out = await priced()
      const back = await priced({ from: subject.direct.to, to: subject.direct.from, amount: out.amountOut })
      expect(back.amountOut).toBeLessThan(subject.direct.amount)
      const needed = await priced({ amount: out.amountOut, tradeType: 'EXACT_OUTPUT' })
      expect(needed.amountIn).toBeLessThanOrEqual(subject.direct.amount)
    })

    test('behavior: finds a route over a third currency', async () => {
      const { from, to, amount } = subject.twoHops
      for (const tradeType of ['EXACT_INPUT', 'EXACT_OUTPUT'] as const) {
        const price = await priced({ from, to, amount, tradeType })
        expect(await subject.trade(from, to, price.amountIn, price.amountOut)).toBeGreaterThanOrEqual(price.amountOut)
      }
    })

    test('behavior: a larger amount has more price impact, and a small one next to none', async () => {
      expect((await priced()).impactBps).toBeLessThan(10)
      const large = await priced({ amount: subject.direct.large })
      expect(large.impactBps).toBeGreaterThan(500)
      expect(large.impactBps).toBeLessThan(10_000)
    })

    test('behavior: a call that demands too much output reverts', async () => {
      const { from, to, amount } = subject.direct
      const price = await priced()
      await expect(subject.trade(from, to, amount, price.amountOut * 2n)).rejects.toThrow()
    })

    test('behavior: reports that there is no route', async () => {
      const { from } = subject.direct
      expect(await ask({ to: from })).toBe('no_route')
      expect(await ask({ to: subject.elsewhere })).toBe('no_route')
      expect(await ask({ from: subject.elsewhere, to: subject.elsewhere })).toBe('no_route')
      expect(await ask({ to: subject.unknown })).toBe('no_route')
      expect(await ask({ amount: 0n })).toBe('no_route')
      expect(await ask({ amount: subject.tooMuch, tradeType: 'EXACT_OUTPUT' })).toBe('no_route')
    })

    test('error: an unreachable provider is unavailable', async () => {
      await expect(ask({ signal: AbortSignal.abort() })).rejects.toThrow()
      await subject.silence()
      await expect(ask()).rejects.toMatchObject({ code: 'chain_unavailable' })
    })
  })
}
