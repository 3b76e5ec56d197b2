import * as fc from 'fast-check'
import { test } from 'vitest'
import { full, seed } from '../../support/full.ts'
import { world } from './world.ts'
import { type Setting, setting, type Step, steps } from './world-steps.ts'

/** Sequences that were wrong once. */
const found: readonly [Setting, readonly Step[]][] = [
  [
    {
      orders: 1,
      isNative: false,
      isConverting: false,
      second: 'fixed',
      needed: 1,
      toleranceBps: 0,
      caps: { bps: 100n, flat: 2n },
      hasGuard: true,
      refundGas: 0,
      leastLeg: 1,
    },
    // A stranger settles the second payment while the books do not know it yet, and the recipient is owed nothing.
    [
      { do: 'steal', who: 0, place: 0, percent: 100, feePercent: 100, payment: 1100, after: 'mined' },
      { do: 'refund', who: 0, percent: 100, asset: 0 },
      { do: 'steal', who: 0, place: 0, percent: 100, feePercent: 0, payment: 1100, after: 'undone' },
      { do: 'steal', who: 0, place: 1, percent: 100, feePercent: 0, payment: 400, after: 'reported' },
    ],
  ],
]

test(
  'behavior: under any sequence of events the money matches the books, nobody is paid twice, and every step is legal',
  () => {
    fc.assert(
      fc.property(setting, steps(50), (where, happens) => {
        const simulated = world(where)
        for (const step of happens) simulated.take(step)
        simulated.settleDown()
        simulated.checkRest()
      }),
      { numRuns: full ? 20_000 : 500, seed, examples: found as [Setting, Step[]][] },
    )
  },
  full ? 1_800_000 : 180_000,
)
