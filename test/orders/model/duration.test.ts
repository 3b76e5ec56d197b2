import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { durationSeconds } from '../../../server/orders/model/duration.ts'

test('default: the confirmations of the payment and of its settlement', () => {
  expect(durationSeconds({ confirmations: 12, blockSeconds: 2 })).toBe(48)
  expect(durationSeconds({ confirmations: 12, blockSeconds: 12 })).toBe(288)
  expect(durationSeconds({ confirmations: 1, blockSeconds: 0.25 })).toBe(1)
})

test('property: a whole number of at least a second, never less than the blocks take, and growing with both', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0.05, max: 700, noNaN: true }), (confirmations, blockSeconds) => {
      const seconds = durationSeconds({ confirmations, blockSeconds })
      expect(Number.isSafeInteger(seconds) && seconds >= 1).toBe(true)
      expect(seconds).toBeGreaterThanOrEqual(2 * confirmations * blockSeconds)
      expect(seconds).toBeLessThan(2 * confirmations * blockSeconds + 1)
      expect(durationSeconds({ confirmations: confirmations + 1, blockSeconds })).toBeGreaterThanOrEqual(seconds)
    }),
  ))
