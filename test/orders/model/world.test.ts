import * as fc from 'fast-check'
import { test } from 'vitest'
import { full, seed } from '../../support/full.ts'
import { world } from './world.ts'
import { setting, steps } from './world-steps.ts'

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
      { numRuns: full ? 20_000 : 500, seed },
    )
  },
  full ? 1_800_000 : 180_000,
)
