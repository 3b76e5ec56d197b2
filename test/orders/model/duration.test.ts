import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { durationSeconds } from '../../../server/orders/model/duration.ts'

test('default: the time until the payment is final and until its settlement is', () => {
  expect(durationSeconds(24)).toBe(48)
  expect(durationSeconds(144)).toBe(288)
  expect(durationSeconds(0.25)).toBe(1)
})

test('property: a whole number of at least a second, never less than both take, and growing with them', () =>
  fc.assert(
    fc.property(
      fc.double({ min: 0.05, max: 350_000, noNaN: true }),
      fc.double({ min: 0, max: 700, noNaN: true }),
      (secondsToFinal, more) => {
        const seconds = durationSeconds(secondsToFinal)
        expect(Number.isSafeInteger(seconds) && seconds >= 1).toBe(true)
        expect(seconds).toBeGreaterThanOrEqual(2 * secondsToFinal)
        expect(seconds).toBeLessThan(2 * secondsToFinal + 1)
        expect(durationSeconds(secondsToFinal + more)).toBeGreaterThanOrEqual(seconds)
      },
    ),
  ))
