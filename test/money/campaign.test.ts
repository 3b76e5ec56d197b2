import { afterAll, beforeAll, expect, test } from 'vitest'
import { faults } from '../campaign/faults.ts'
import { type HonestPayment, noticedBy, tooLate, writtenNoticed } from '../campaign/noticed.ts'
import { invariants } from '../campaign/invariants.ts'
import { payments } from '../campaign/paying.ts'
import { makePlan } from '../campaign/plan.ts'
import { runCampaign } from '../campaign/run.ts'
import { startWorld, type World } from '../campaign/world.ts'
import { builtDist } from '../support/service/build.ts'
import { full } from '../support/full.ts'

/** A short `npm run campaign` with every fault and every way to pay. */

const plan = makePlan({
  seed: 20_418,
  rounds: Math.ceil(Object.keys(faults).length / 2) * (full ? 4 : 1),
  quietRounds: full ? 9 : 1,
  paymentKinds: Object.keys(payments),
  faults,
  // Enough for every kind, beside those that faults need.
  paymentsPerRound: full ? 4 : 3,
  longestMs: full ? 3_000 : 600,
})

let world: World
beforeAll(async () => {
  world = await startWorld(await builtDist())
}, 120_000)
afterAll(async () => {
  await world?.close()
}, 60_000)

test(
  `behavior: every fault strikes while payments of every kind run, seed ${plan.seed}`,
  { timeout: full ? 7_200_000 : 900_000 },
  async () => {
    // Other tests run beside it, so times would mean nothing.
    const report = await runCampaign(world, plan, { measures: false })
    // A fault that strikes several times may affect something one time and nothing another.
    expect([...new Set([...report.faults.keys(), ...report.unmet.keys()])].toSorted()).toEqual(Object.keys(faults).toSorted())
    expect([...report.payments.keys()].toSorted()).toEqual(Object.keys(payments).toSorted())
    expect([...report.invariants.keys()]).toEqual(invariants.map(({ name }) => name))
  },
)

test('behavior: a seed determines the plan, and another seed gives another', () => {
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
  for (const { faults: roundFaults, payments: planned } of of(7).rounds)
    if (roundFaults.some(({ kind }) => kind === 'x')) expect(planned.map(({ kind }) => kind)).toContain('a')
})

test('behavior: rounds without faults are spread among the others and replace none of them', () => {
  const { rounds } = makePlan({
    seed: 7,
    rounds: 7,
    quietRounds: 3,
    paymentKinds: ['a', 'b'],
    faults: { x: {}, y: {} },
    paymentsPerRound: 2,
    longestMs: 900,
  })
  expect(rounds.map(({ faults: roundFaults }) => roundFaults.length)).toEqual([0, 2, 2, 0, 2, 2, 2, 0, 2, 2])
})

const payment = (round: number, took: number, more: Partial<HonestPayment> = {}): HonestPayment => ({
  kind: 'to the address',
  orderId: `ord_${round}`,
  round,
  begunAt: round * 10_000 - 100,
  sentAt: round * 10_000,
  completedAt: round * 10_000 + took,
  outcome: 'well',
  isQuiet: false,
  isPromised: false,
  ...more,
})
const period = (kind: string, round: number) => ({ kind, round, beganAt: round * 10_000, endedAt: round * 10_000 + 50 })

test('behavior: the delays of honest payers are counted by fault, as multiples of the fault-free time of their kind', () => {
  const quiet = [100, 90, 700].map((took, index) => payment(index + 1, took, { isQuiet: true }))
  const table = { 'a process is killed': faults['a process is killed']!, dust: faults.dust!, 'page flood': faults['page flood']! }
  const noticed = noticedBy(
    [
      ...quiet,
      payment(4, 1_000),
      payment(5, 200, { isPromised: true }),
      payment(5, 301, { isPromised: true, orderId: 'ord_late' }),
      payment(6, 0, { completedAt: undefined, outcome: 'lost' }),
      payment(6, 100, { outcome: 'doubled' }),
      payment(5, 9_000, { kind: 'late', isPromised: true }),
    ],
    [period('a process is killed', 4), period('dust', 5), period('a process is killed', 6)],
    table,
  )
  expect(noticed.quiet).toEqual(new Map([['to the address', 100]]))
  expect(noticed.met).toEqual([
    { fault: 'a process is killed', outage: 'crash', payments: 3, failed: 0, lost: 1, doubled: 1, median: 1, worst: 10 },
    { fault: 'dust', outage: undefined, payments: 3, failed: 0, lost: 0, doubled: 0, median: 2, worst: 3.01 },
  ])
  expect(noticed).toMatchObject({ promised: 2, failed: 0, lost: 1, doubled: 1 })
  expect(tooLate(noticed)).toEqual(['"to the address" in round 5 (dust) took 0.30 s, 3.0 × its quiet time: ord_late'])
  expect(writtenNoticed(noticed)).toContain('0 failed, 1 lost, 1 doubled; 1 of 2 later than 3 × their quiet time')
})
