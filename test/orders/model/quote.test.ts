import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Asset } from '../../../server/orders/model/asset.ts'
import { breakdownIn, type FeeTerms, price, type Price, totalFees } from '../../../server/orders/model/quote.ts'
import { converted, ratioOf } from '../../../server/orders/model/rate.ts'
import { usdc } from './support.ts'

const bps = fc.integer({ min: 0, max: 1000 })
const usd = fc
  .tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([whole, rest]) => `${whole}.${rest.toString().padStart(6, '0')}`)
const rate = fc
  .tuple(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 1, max: 99_999_999 }))
  .map(([whole, rest]) => `${whole}.${rest.toString().padStart(8, '0')}`)
const terms: fc.Arbitrary<FeeTerms> = fc.record({ customBps: bps, protocolBps: bps, relayerUsd: usd, gasUsd: usd })
const asset: fc.Arbitrary<Asset> = fc.integer({ min: 0, max: 36 }).map((decimals) => ({ ...usdc, decimals }))
const asks = fc.record({
  asset,
  amount: fc.record({ numerator: fc.bigInt({ min: 0n, max: 10n ** 40n }), denominator: fc.bigInt({ min: 1n, max: 10n ** 12n }) }),
  assetUsd: rate,
  terms,
})

const isRoundedUp = (total: bigint, { decimals }: Asset) => decimals <= 8 || total % 10n ** BigInt(decimals - 8) === 0n
const step = ({ decimals }: Asset) => (decimals <= 8 ? 1n : 10n ** BigInt(decimals - 8))
/** The part is the smallest integer that is at least the whole times its share. */
const isCeilShare = (part: bigint, whole: bigint, share: number) =>
  part * 10_000n >= whole * BigInt(share) && (part - 1n) * 10_000n < whole * BigInt(share)

describe('EXACT_OUTPUT', () => {
  test('default: fees are rounded up and added, and the recipient gets the requested amount', () => {
    const priced = price({
      tradeType: 'EXACT_OUTPUT',
      asset: usdc,
      amount: ratioOf('42500000'),
      assetUsd: '0.9999',
      terms: { customBps: 50, protocolBps: 10, relayerUsd: '0.05', gasUsd: '0.02' },
    })
    expect(priced).toEqual({
      output: 42_500_000n,
      fees: { custom: 212_500n, protocol: 42_500n, relayer: 50_006n, gas: 20_003n },
      total: 42_825_009n,
    })
  })

  test('behavior: the amount added to make the total typeable goes to the recipient', () => {
    const ether = { ...usdc, decimals: 18 }
    const priced = price({
      tradeType: 'EXACT_OUTPUT',
      asset: ether,
      amount: { numerator: 1n, denominator: 1n },
      assetUsd: '3000',
      terms: { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
    })
    expect(priced).toMatchObject({ output: 10_000_000_000n, total: 10_000_000_000n })
  })

  test('behavior: the fees and the output add up for every amount', () => {
    fc.assert(
      fc.property(asks, (ask) => {
        const { output, fees, total } = price({ ...ask, tradeType: 'EXACT_OUTPUT' } satisfies Price)
        const requested = (ask.amount.numerator + ask.amount.denominator - 1n) / ask.amount.denominator
        expect(output + totalFees(fees)).toBe(total)
        expect(output >= requested && output - requested < step(ask.asset)).toBe(true)
        expect(isRoundedUp(total, ask.asset)).toBe(true)
        expect(isCeilShare(fees.custom, requested, ask.terms.customBps)).toBe(true)
        expect(isCeilShare(fees.protocol, requested, ask.terms.protocolBps)).toBe(true)
      }),
    )
  })
})

describe('EXACT_INPUT', () => {
  test('default: fees are rounded down and taken from what the payer sends', () => {
    const priced = price({
      tradeType: 'EXACT_INPUT',
      asset: usdc,
      amount: ratioOf('999'),
      assetUsd: '1',
      terms: { customBps: 50, protocolBps: 10, relayerUsd: '0.000001', gasUsd: '0' },
    })
    expect(priced).toEqual({ output: 994n, fees: { custom: 4n, protocol: 0n, relayer: 1n, gas: 0n }, total: 999n })
  })

  test('behavior: every amount adds up, and a tiny one is consumed by fees without going below zero', () => {
    fc.assert(
      fc.property(asks, (ask) => {
        const { output, fees, total } = price({ ...ask, tradeType: 'EXACT_INPUT' })
        expect(output + totalFees(fees)).toBe(total)
        expect(output >= 0n && Object.values(fees).every((fee) => fee >= 0n)).toBe(true)
        expect(fees.custom * 10_000n <= total * BigInt(ask.terms.customBps)).toBe(true)
        expect(isRoundedUp(total, ask.asset)).toBe(true)
      }),
    )
  })
})

describe('breakdownIn', () => {
  const sum = ({ base, custom, protocol, relayer, gas }: ReturnType<typeof breakdownIn>) => base + custom + protocol + relayer + gas

  test('default: in the asset itself it is the price', () => {
    const priced = price({
      tradeType: 'EXACT_OUTPUT',
      asset: usdc,
      amount: ratioOf('990'),
      assetUsd: '1',
      terms: { customBps: 60, protocolBps: 30, relayerUsd: '0.000001', gasUsd: '0' },
    })
    expect(breakdownIn(priced, priced.total)).toEqual({ base: 990n, custom: 6n, protocol: 3n, relayer: 1n, gas: 0n, total: 1000n })
  })

  test('behavior: the parts add up in any unit, and none is negative', () => {
    fc.assert(
      fc.property(
        asks,
        fc.constantFrom('EXACT_INPUT' as const, 'EXACT_OUTPUT' as const),
        fc.oneof(fc.bigInt({ min: 0n, max: 10n }), fc.bigInt({ min: 0n, max: 10n ** 40n })),
        (ask, tradeType, total) => {
          const parts = breakdownIn(price({ ...ask, tradeType }), total)
          expect(sum(parts)).toBe(total)
          expect(Object.values(parts).every((part) => part >= 0n)).toBe(true)
        },
      ),
    )
  })

  test('behavior: the rounding loss of a coarse unit goes to the fees, and no part is below zero', () => {
    expect(breakdownIn({ output: 990n, fees: { custom: 6n, protocol: 3n, relayer: 1n, gas: 0n }, total: 1000n }, 2n)).toEqual({
      base: 0n,
      custom: 1n,
      protocol: 1n,
      relayer: 0n,
      gas: 0n,
      total: 2n,
    })
  })
})

test('behavior: an amount in another unit is converted exactly, to the last digit', () => {
  const { numerator, denominator } = converted(ratioOf('42.50'), ratioOf('1.1'), ratioOf('0.25'), 6)
  expect([numerator % denominator, numerator / denominator]).toEqual([0n, 187_000_000n])
})
