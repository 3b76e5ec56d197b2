import { afterAll, beforeAll, expect, test } from 'vitest'
import { faults } from '../campaign/faults.ts'
import { invariants } from '../campaign/invariants.ts'
import { payments } from '../campaign/paying.ts'
import { makePlan } from '../campaign/plan.ts'
import { runCampaign } from '../campaign/run.ts'
import { startWorld, type World } from '../campaign/world.ts'
import { builtDist } from '../support/build.ts'
import { full } from '../support/full.ts'

/** The short slice of `npm run campaign`: every fault and every way to pay, once. */

const plan = makePlan({
  seed: 20_418,
  rounds: Math.ceil(Object.keys(faults).length / 2) * (full ? 4 : 1),
  quietRounds: full ? 9 : 1,
  paymentKinds: Object.keys(payments),
  faults,
  paymentsPerRound: full ? 4 : 2,
  longestMs: full ? 3_000 : 600,
})

let world: World
beforeAll(async () => {
  world = await startWorld(await builtDist())
}, 120_000)
afterAll(async () => {
  await world?.close()
}, 60_000)

test(`behavior: everything goes wrong while everybody pays, seed ${plan.seed}`, { timeout: full ? 1_200_000 : 240_000 }, async () => {
  const report = await runCampaign(world, plan)
  // One that is carried out several times may be noticed one time and not another.
  expect([...new Set([...report.faults.keys(), ...report.unmet.keys()])].toSorted()).toEqual(Object.keys(faults).toSorted())
  expect([...report.payments.keys()].toSorted()).toEqual(Object.keys(payments).toSorted())
  expect([...report.invariants.keys()]).toEqual(invariants.map(({ name }) => name))
})

test('behavior: a seed decides the plan, and another seed another', () => {
  const of = (seed: number) =>
    makePlan({
      seed,
      rounds: 9,
      quietRounds: 2,
      paymentKinds: ['a', 'b', 'c'],
      faults: { x: { needs: 'a' }, y: {}, z: {} },
      paymentsPerRound: 2,
      longestMs: 900,
    })
  expect(of(7)).toEqual(of(7))
  expect(of(7)).not.toEqual(of(8))
  for (const { faults: troubles, payments: planned } of of(7).rounds)
    if (troubles.some(({ kind }) => kind === 'x')) expect(planned.map(({ kind }) => kind)).toContain('a')
})
