import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sameAsset } from '../../../server/orders/model/asset.ts'
import { ceilDiv, displayUsd, ratioOf, roundUpToFewDigits, roundUpToPlaces } from '../../../server/orders/model/rate.ts'
import { formatUnits, parseUnits } from '../../../src/wire/money.ts'
import { nativeAddress } from '../../../src/wire/chain-facts.ts'

test('behavior: a decimal string is an exact fraction', () => {
  expect(ratioOf('42.50')).toEqual({ numerator: 4250n, denominator: 100n })
  expect(ratioOf('0.00000001')).toEqual({ numerator: 1n, denominator: 100_000_000n })
  expect(ratioOf('7')).toEqual({ numerator: 7n, denominator: 1n })
})

test('behavior: rounding up gives the smallest amount that is enough', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.integer({ min: 0, max: 36 }), (raw, decimals) => {
      const rounded = roundUpToPlaces(raw, decimals)
      const step = decimals <= 8 ? 1n : 10n ** BigInt(decimals - 8)
      expect(rounded % step).toBe(0n)
      expect(rounded >= raw && rounded - raw < step).toBe(true)
    }),
  )
  expect([ceilDiv(0n, 3n), ceilDiv(1n, 3n), ceilDiv(3n, 3n), ceilDiv(4n, 3n)]).toEqual([0n, 1n, 1n, 2n])
})

test('default: a converted amount has few digits, and costs less than a cent and a half or a thousandth more', () => {
  const typed = (decimal: string, decimals: number, priceUsd: string) =>
    formatUnits(roundUpToFewDigits(parseUnits(decimal, decimals)!, decimals, priceUsd), decimals)
  expect(typed('42.93377', 6, '1')).toBe('42.94')
  expect(typed('42.93376876', 18, '1.0004')).toBe('42.94')
  expect(typed('0.017186549', 18, '2500')).toBe('0.017187')
  expect(typed('0.00066857', 8, '65000')).toBe('0.0006686')
  expect(typed('1234567.891234', 6, '0.9998')).toBe('1234567.9')
  // A cent would be much of a small amount.
  expect(typed('0.505051', 6, '1')).toBe('0.5051')
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 40n }),
      fc.integer({ min: 0, max: 24 }),
      fc.integer({ min: 1, max: 10 ** 9 }),
      (raw, decimals, tenThousandths) => {
        const price = formatUnits(BigInt(tenThousandths), 4)
        const added = roundUpToFewDigits(raw, decimals, price) - raw
        const fits = added * 1000n < raw && added * BigInt(tenThousandths) < 150n * 10n ** BigInt(decimals)
        expect(added >= 0n && (fits || added < 10n ** BigInt(Math.max(0, decimals - 8)))).toBe(true)
      },
    ),
  )
})

test('behavior: the value in dollars is rounded for display and finite for every amount', () => {
  expect(displayUsd(42_500_000n, 6, '0.9999')).toBe(42.4957)
  expect(displayUsd(1n, 18, '3000')).toBe(0)
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.integer({ min: 0, max: 36 }), (raw, decimals) =>
      Number.isFinite(displayUsd(raw, decimals, '123456.789')),
    ),
  )
})

test('behavior: an asset is the same in every spelling of its address, on one chain', () => {
  const usdc = '0xABCDEF0000000000000000000000000000000001'
  expect(sameAsset({ chainId: 8453, address: usdc }, { chainId: 8453, address: usdc.toLowerCase() })).toBe(true)
  expect(sameAsset({ chainId: 8453, address: null }, { chainId: 8453, address: nativeAddress })).toBe(true)
  expect(sameAsset({ chainId: 8453, address: null }, { chainId: 1, address: null })).toBe(false)
})
