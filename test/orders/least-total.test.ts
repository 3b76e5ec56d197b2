import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leastTotal } from '../../server/orders/network-fee.ts'
import { ethereumQuote, newOrderOf, onTwoChains, quoteOf, usdcOnEthereum } from './model/support.ts'

/** What the cheapest of an order's settlement currencies costs, which the page says before the payer has asked for any of them. */

const input = (total: bigint) => ({ base: total, custom: 0n, protocol: 0n, relayer: 0n, gas: 0n, total })
const dollars = { unit: 'USD', usd: '1' }

function leastOf(totals: readonly [bigint, bigint], fees: readonly [bigint | undefined, bigint | undefined], fiat = dollars) {
  const { terms, quote, otherQuotes } = newOrderOf(onTwoChains(), quoteOf({ input: input(totals[0]) }), [
    ethereumQuote({ input: input(totals[1]) }),
  ])
  const transferCents = ({ chainId }: { readonly chainId: number }) => fees[chainId === usdcOnEthereum.chainId ? 1 : 0]
  return leastTotal({ transferCents }, { terms, quotes: [quote, ...otherQuotes!] }, fiat)
}

test('property: it is the least of what each currency costs with its own network’s fee, to the cent', () => {
  const cents = fc.bigInt({ min: 1n, max: 1_000_000n })
  fc.assert(
    fc.property(cents, cents, cents, cents, (price, fee, otherPrice, otherFee) => {
      const costs = [price + fee, otherPrice + otherFee].map(Number)
      const least = leastOf([price * 10_000n, otherPrice * 10_000n], [fee, otherFee])
      expect(least).toEqual({ amount: Math.min(...costs) / 100, unit: 'USD' })
    }),
  )
})

test('behavior: a currency whose cost nobody knows does not count, and without any there is no figure', () => {
  const totals = [42_500_000n, 10_000_000n] as const
  expect(leastOf(totals, [17n, undefined])).toEqual({ amount: 42.67, unit: 'USD' })
  expect(leastOf(totals, [undefined, undefined])).toBeUndefined()
})

test('behavior: it is in the order’s fiat currency, rounded to the nearest cent, and a fee is a cent at least', () => {
  expect(leastOf([42_504_999n, 50_000_000n], [0n, 0n])).toEqual({ amount: 42.51, unit: 'USD' })
  expect(leastOf([42_505_000n, 50_000_000n], [0n, 0n])).toEqual({ amount: 42.52, unit: 'USD' })
  expect(leastOf([42_500_000n, 50_000_000n], [12n, 12n], { unit: 'EUR', usd: '1.0625' })).toEqual({ amount: 40.12, unit: 'EUR' })
})

test('behavior: an order from before several destinations were possible has the one', () => {
  const { terms, quote } = newOrderOf({}, quoteOf({ input: input(42_500_000n) }))
  expect(leastTotal({ transferCents: () => 17n }, { terms, quotes: [quote] }, dollars)).toEqual({ amount: 42.67, unit: 'USD' })
})
