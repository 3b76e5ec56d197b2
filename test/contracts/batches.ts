import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Payout, Payouts, Report } from '../../server/chains/payouts.ts'
import { until } from '../support/wait.ts'
import { killStride } from '../support/full.ts'
import { type PayoutsUnderTest, type Reported, run, statesOf } from './payouts.ts'

/** Payouts of a chain that can pay several orders in one transaction. */
export interface BatchesUnderTest extends PayoutsUnderTest {
  /** A settlement with this fee fails, whatever its order holds, and pays nobody. */
  readonly refusedFee: bigint
}

export function batchesContract(name: string, start: () => Promise<BatchesUnderTest>): void {
  describe(`batches contract: ${name}`, () => {
    let subject: BatchesUnderTest
    let count = 0

    beforeAll(async () => {
      subject = await start()
    })
    afterAll(() => subject?.stop())

    /** Creates settlements of 10 each. Their orders hold more than twice as much, so a second payment would not fail for lack of money. */
    async function settlements(tenants: readonly (string | undefined)[], more: Partial<Payout> = {}): Promise<Payout[]> {
      const made: Payout[] = []
      for (const tenant of tenants) {
        const orderId = `batched-order-${++count}`
        await subject.fund(orderId, 25n)
        const legs = [{ to: subject.recipient, amount: 10n }]
        const purpose = { kind: 'settlement', orderId, ref: 's1' }
        made.push({ id: `${orderId}:s1`, orderId, token: subject.token, legs, purpose, ...(tenant !== undefined && { tenant }), ...more })
      }
      return made
    }
    const tenantsOf = (amount: number, tenant = `tenant-${++count}`) => Array.from({ length: amount }, () => tenant)
    const poisoned = (payout: Payout): Payout => ({
      ...payout,
      legs: [
        { to: subject.recipient, amount: 10n },
        { to: subject.feeCollector, amount: subject.refusedFee },
      ],
    })
    async function enqueueAll(payouts: Payouts, queued: readonly Payout[]): Promise<void> {
      for (const payout of queued) await payouts.enqueue(subject.sql, payout)
    }
    const minedUntil = (fact: () => unknown) =>
      until(async () => {
        const answer = fact()
        if (!answer) await subject.mine(1)
        return answer
      })
    const confirmedOf = (reports: readonly Reported[], { id }: Payout) =>
      reports.flatMap((each) => (each.id === id && each.outcome.state === 'confirmed' ? [each.outcome] : []))
    const areConfirmed = (reports: readonly Reported[], queued: readonly Payout[]) =>
      queued.every((payout) => confirmedOf(reports, payout).length > 0)
    const hashesOf = (reports: readonly Reported[], queued: readonly Payout[]) =>
      new Set(queued.flatMap((payout) => confirmedOf(reports, payout).map(({ txHash }) => txHash)))
    const isIn = (state: string, reports: readonly Reported[], queued: readonly Payout[]) =>
      queued.every(({ id }) => statesOf(reports, id).includes(state as never))
    const coinOf = async (payouts: Payouts) => (await payouts.funds(subject.sql, AbortSignal.timeout(60_000))).coin

    async function withProcess(
      payouts: Payouts,
      work: (process: ReturnType<typeof run> & { readonly payouts: Payouts }) => Promise<void>,
      report?: Report,
    ): Promise<void> {
      const process = run(payouts, { sql: subject.sql, report })
      try {
        await work({ ...process, payouts })
      } finally {
        await process.stop()
      }
    }
    /** Returns what the recipient gets while `work` runs. */
    async function receivedIn(work: () => Promise<unknown>): Promise<bigint> {
      const before = await subject.balance(subject.recipient)
      await work()
      return (await subject.balance(subject.recipient)) - before
    }

    test('default: ten settlements of a tenant that wait together are one transaction, and their costs add up', async () => {
      const queued = await settlements(tenantsOf(10))
      const payouts = subject.create()
      await enqueueAll(payouts, queued)
      expect(await payouts.metrics(subject.sql)).toMatchObject({ oldestUnsent: expect.any(Number), oldestUnmined: undefined })
      const before = await coinOf(payouts)
      const received = await receivedIn(() =>
        withProcess(payouts, async ({ reports }) => {
          await until(() => isIn('broadcast', reports, queued))
          expect(await payouts.metrics(subject.sql)).toMatchObject({ oldestUnsent: undefined, oldestUnmined: expect.any(Number) })
          await minedUntil(() => areConfirmed(reports, queued))
          for (const { id } of queued) expect(statesOf(reports, id)).toEqual(['broadcast', 'mined', 'confirmed'])
          const [txHash, ...others] = hashesOf(reports, queued)
          expect(others).toEqual([])
          const outcomes = queued.flatMap((payout) => confirmedOf(reports, payout))
          for (const outcome of outcomes) expect(outcome.paid).toEqual([true])
          expect(outcomes.reduce((sum, { fee }) => sum + fee, 0n)).toBe(before - (await coinOf(payouts)))
          expect(await payouts.ordersOf(subject.sql, [txHash!])).toEqual(new Map([[txHash, new Set(queued.map(({ orderId }) => orderId))]]))
        }),
      )
      expect(received).toBe(100n)
      expect(await payouts.metrics(subject.sql)).toEqual({ reopened: 0, lost: 0 })
    })

    test('behavior: tenants share no transaction, nor do priorities, nor what has no tenant', async () => {
      const [a, b] = [await settlements(tenantsOf(3)), await settlements(tenantsOf(2))]
      const later = await settlements([a[0]!.tenant, a[0]!.tenant], { priority: 1 })
      const alone = await settlements([undefined, undefined])
      const all = [...a, ...b, ...later, ...alone]
      const payouts = subject.create()
      await enqueueAll(payouts, all)
      await withProcess(payouts, async ({ reports }) => {
        await minedUntil(() => areConfirmed(reports, all))
        for (const batch of [a, b, later]) expect(hashesOf(reports, batch).size).toBe(1)
        expect(hashesOf(reports, all).size).toBe(5)
      })
    })

    test('behavior: a batch has at most twenty, an order is in it once, and neither refunds nor conversions are', async () => {
      const tenants = tenantsOf(21)
      const queued = await settlements(tenants)
      const [tenant] = tenants
      const again = { ...queued[0]!, id: `${queued[0]!.id}:again` }
      const [refund] = await settlements([tenant], { legs: [{ to: subject.freshAddress(), amount: 10n }], purpose: purposeOf('refund') })
      const payouts = subject.create()
      await enqueueAll(payouts, [refund!, ...queued, again])
      await withProcess(payouts, async ({ reports }) => {
        const all = [refund!, ...queued, again]
        await minedUntil(() => areConfirmed(reports, all))
        const sizes = [...hashesOf(reports, all)].map((hash) => all.filter((payout) => hashesOf(reports, [payout]).has(hash)).length)
        expect(sizes.toSorted((x, y) => x - y)).toEqual([1, 2, 20])
        expect(hashesOf(reports, [refund!, ...queued]).size).toBe(3)
        expect(hashesOf(reports, [queued[0]!, again]).size).toBe(2)
      })
    })
    const purposeOf = (kind: string) => ({ kind, orderId: 'any', ref: 'r1' })

    test('behavior: an order that fails leaves the others, goes alone, and is charged its share of the batch', async () => {
      const [first, second, third] = await settlements(tenantsOf(3))
      const bad = poisoned(second!)
      const good = [first!, third!]
      const payouts = subject.create()
      await enqueueAll(payouts, [first!, bad, third!])
      const before = await coinOf(payouts)
      const received = await receivedIn(() =>
        withProcess(payouts, async ({ reports }) => {
          await minedUntil(() => areConfirmed(reports, good) && isIn('failed', reports, [bad]))
          expect(hashesOf(reports, good).size).toBe(1)
          expect(statesOf(reports, bad.id)).toEqual(['broadcast', 'failed'])
          const failed = reports.find(({ id, outcome }) => id === bad.id && outcome.state === 'failed')?.outcome
          if (failed?.state !== 'failed') throw new Error('it has not failed')
          expect(failed.cause).toBe('reverts')
          const shares = good.flatMap((payout) => confirmedOf(reports, payout).map(({ fee }) => fee))
          expect(shares.reduce((sum, fee) => sum + fee, failed.spent?.fee ?? 0n)).toBe(before - (await coinOf(payouts)))
        }),
      )
      expect(received).toBe(20n)
    })

    test('behavior: an order whose report fails holds up no other of its batch', async () => {
      const queued = await settlements(tenantsOf(3))
      const [failing, ...others] = queued
      let isBusy = true
      const payouts = subject.create()
      await enqueueAll(payouts, queued)
      const report: Report = async (_, { id }) => {
        if (isBusy && id === failing!.id) throw new Error('the ledger is busy')
      }
      await withProcess(
        payouts,
        async ({ reports }) => {
          await minedUntil(() => areConfirmed(reports, others))
          expect(statesOf(reports, failing!.id)).toEqual([])
          isBusy = false
          await minedUntil(() => areConfirmed(reports, queued))
          for (const { id } of queued) expect(statesOf(reports, id)).toEqual(['broadcast', 'mined', 'confirmed'])
        },
        report,
      )
    })

    test('behavior: killed between any two steps it pays each once', async () => {
      let killAt = 1
      for (let isDead = true; isDead; killAt += killStride) {
        const queued = await settlements(tenantsOf(2))
        let steps = 0
        isDead = false
        const step = () => {
          isDead ||= ++steps >= killAt
          if (isDead) throw new Error('killed')
        }
        const seen: Reported[] = []
        const process = subject.create({ step })
        await enqueueAll(process, queued)
        const received = await receivedIn(async () => {
          await withProcess(
            process,
            async ({ reports }) => {
              await minedUntil(() => isDead || areConfirmed(reports, queued))
              seen.push(...reports)
            },
            async () => step(),
          )
          await withProcess(subject.create(), async ({ reports }) => {
            await minedUntil(() => areConfirmed([...seen, ...reports], queued))
            seen.push(...reports)
          })
        })
        for (const payout of queued) expect(confirmedOf(seen, payout)).toHaveLength(1)
        expect(received).toBe(20n)
      }
      expect(killAt).toBeGreaterThan(9)
    })

    test('behavior: killed between any two steps with an order that fails, it pays the others once', async () => {
      for (let killAt = 1, isDead = true; isDead; killAt += killStride) {
        const [first, second, third] = await settlements(tenantsOf(3))
        const [good, bad] = [[first!, third!], poisoned(second!)]
        let steps = 0
        isDead = false
        const step = () => {
          isDead ||= ++steps >= killAt
          if (isDead) throw new Error('killed')
        }
        const seen: Reported[] = []
        const isDone = (reports: readonly Reported[]) => areConfirmed(reports, good) && isIn('failed', reports, [bad])
        const process = subject.create({ step })
        await enqueueAll(process, [first!, bad, third!])
        const received = await receivedIn(async () => {
          await withProcess(
            process,
            async ({ reports }) => {
              await minedUntil(() => isDead || isDone(reports))
              seen.push(...reports)
            },
            async () => step(),
          )
          await withProcess(subject.create(), async ({ reports }) => {
            await minedUntil(() => isDone([...seen, ...reports]))
            seen.push(...reports)
          })
        })
        for (const payout of good) expect(confirmedOf(seen, payout)).toHaveLength(1)
        expect(statesOf(seen, bad.id).filter((state) => state === 'failed')).toHaveLength(1)
        expect(received).toBe(20n)
      }
    })

    test('behavior: a batch that is stuck is signed again, and whichever is mined counts', async () => {
      const queued = await settlements(tenantsOf(3))
      const payouts = subject.create({ isImpatient: true })
      await enqueueAll(payouts, queued)
      const received = await receivedIn(() =>
        withProcess(payouts, async ({ reports }) => {
          const hashes = (id: string) =>
            new Set(reports.flatMap((each) => (each.id === id && each.outcome.state === 'broadcast' ? [each.outcome.txHash] : [])))
          await until(() => queued.every(({ id }) => hashes(id).size >= 3))
          await minedUntil(() => areConfirmed(reports, queued))
          const [txHash, ...others] = hashesOf(reports, queued)
          expect(others).toEqual([])
          for (const { id } of queued) expect(hashes(id).has(txHash!)).toBe(true)
        }),
      )
      expect(received).toBe(30n)
    })

    test('behavior: reports a batch whose block disappears, and pays each once in another', async () => {
      const queued = await settlements(tenantsOf(3))
      const payouts = subject.create()
      await enqueueAll(payouts, queued)
      const received = await receivedIn(() =>
        withProcess(payouts, async ({ reports }) => {
          await until(() => isIn('broadcast', reports, queued))
          await subject.mine(1)
          await until(() => isIn('mined', reports, queued))
          await subject.reorg(1)
          await until(() => isIn('unmined', reports, queued))
          await minedUntil(() => areConfirmed(reports, queued))
          for (const { id } of queued) expect(statesOf(reports, id)).toEqual(['broadcast', 'mined', 'unmined', 'mined', 'confirmed'])
        }),
      )
      expect(received).toBe(30n)
    })

    test('behavior: several processes at once form no batch twice', async () => {
      const processes = [subject.create(), subject.create(), subject.create()]
      const queued = await settlements(tenantsOf(30))
      const received = await receivedIn(async () => {
        const running = processes.map((payouts) => run(payouts, { sql: subject.sql }))
        try {
          await Promise.all(queued.map((payout, i) => processes[i % 3]!.enqueue(subject.sql, payout)))
          const reports = () => running.flatMap((each) => each.reports)
          await minedUntil(() => areConfirmed(reports(), queued))
          for (const { id } of queued) expect(statesOf(reports(), id)).toEqual(['broadcast', 'mined', 'confirmed'])
        } finally {
          await Promise.all(running.map((each) => each.stop()))
        }
      })
      expect(received).toBe(300n)
    })
  })
}
