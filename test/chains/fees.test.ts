import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { marketFees, replacementFees } from '../../server/chains/evm/payouts/fees.ts'
import type { Header } from '../../server/chains/evm/rpc-calls.ts'

const gwei = 10n ** 9n
const blockWith = (baseFeePerGas: bigint | null) => ({ baseFeePerGas }) as Header
const fee = fc.bigInt({ min: 0n, max: 10n ** 24n })

test('default: twice the base fee and the priority fee', () => {
  expect(marketFees(blockWith(3n * gwei), gwei, 500n * gwei)).toEqual({ maxFeePerGas: 7n * gwei, maxPriorityFeePerGas: gwei })
  expect(marketFees(blockWith(null), gwei, 500n * gwei)).toEqual({ maxFeePerGas: gwei, maxPriorityFeePerGas: gwei })
})

test('behavior: whatever a node says, nothing is signed or replaced above the most', () =>
  fc.assert(
    fc.property(fee, fee, fee, fee, (base, priority, before, most) => {
      const market = marketFees(blockWith(base), priority, most)
      for (const fees of [market, replacementFees({ maxFeePerGas: before, maxPriorityFeePerGas: before }, market, most)]) {
        if (!fees) continue
        expect(fees.maxFeePerGas).toBeLessThanOrEqual(most)
        expect(fees.maxPriorityFeePerGas).toBeLessThanOrEqual(fees.maxFeePerGas)
      }
    }),
  ))

test('behavior: below the most, both fees of a replacement rise by an eighth, until they are five times the market’s', () =>
  fc.assert(
    fc.property(fc.bigInt({ min: gwei, max: 100n * gwei }), fc.bigInt({ min: gwei, max: 100n * gwei }), (base, before) => {
      const market = marketFees(blockWith(base), gwei, 10n ** 15n)
      const fees = replacementFees({ maxFeePerGas: before, maxPriorityFeePerGas: before }, market, 10n ** 15n)
      if (fees) {
        expect(fees.maxFeePerGas * 8n).toBeGreaterThanOrEqual(before * 9n)
        expect(fees.maxPriorityFeePerGas * 8n).toBeGreaterThanOrEqual(before * 9n)
      } else expect(before + before / 8n).toBeGreaterThanOrEqual(market.maxFeePerGas * 5n)
    }),
  ))
