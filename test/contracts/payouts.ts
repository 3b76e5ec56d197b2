import { afterCommit } from '../../server/database/transaction.ts'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Payout, PayoutOutcome, PayoutPorts, Payouts, Report } from '../../server/chains/payouts.ts'
import { until } from '../support/wait.ts'
import { killStride } from '../support/full.ts'

/** Each implementation provides a chain that mines only on request, and a database. */
export interface PayoutsUnderTest {
  readonly confirmations: number
  readonly sql: Sql
  readonly token: string | null
  /** Creates the payouts as another process would. */
  create(more?: Conditions): Payouts
  /** Puts money at the order's deposit address. */
  fund(orderId: string, amount: bigint): Promise<void>
  /** Returns how much of the token is at the address. */
  balance(address: string): Promise<bigint>
  freshAddress(): string
  /** Returns an address that the chain, or the token, pays nothing to. It is absent where legs are paid together or not at all. */
  readonly refusedAddress?: () => Promise<string>
  /** A node can tell only these lies to who asks it nothing about transactions. Without a list it can tell all. */
  readonly lies?: readonly Lie[]
  /** Its transactions pay their fee from the money that they move, and no account has coin for it. */
  readonly paysItself?: true
  /** The terms of every order pay these. */
  readonly recipient: string
  readonly feeCollector: string
  /** The chain refuses this of an order without money. */
  readonly impossible: Pick<Payout, 'legs' | 'swap'>
  mine(blocks: number): Promise<void>
  reorg(depth: number): Promise<void>
  stop(): Promise<void>
}

export type Lie = 'denies' | 'drops' | 'invents a block for'

interface Conditions {
  /** Called before and after every request to the node. The process sees what it throws as the node's failure. */
  readonly step?: () => Promise<void> | void
  /** A transaction counts as stuck almost at once. */
  readonly isImpatient?: boolean
  /** The node denies that our transactions were mined, takes them and broadcasts none, or says that they are in a block that is not. */
  readonly lie?: Lie
}

export interface Reported {
  readonly id: string
  readonly outcome: PayoutOutcome
}

/** Works on the queue as a process does, and records its reports after their transactions commit. */
export function run(payouts: Pick<Payouts, 'run'>, ports: Omit<PayoutPorts, 'report' | 'onProblem'> & { readonly report?: Report }) {
  const reports: Reported[] = []
  const problems: unknown[] = []
  const stopping = new AbortController()
  const running = payouts.run(
    {
      leaseRetryMs: 20,
      ...ports,
      onProblem: (error) => problems.push(error),
      report: async (tx, payout, outcome) => {
        await ports.report?.(tx, payout, outcome)
        afterCommit(tx, () => reports.push({ id: payout.id, outcome }))
      },
    },
    stopping.signal,
  )
  const stop = async () => {
    stopping.abort()
    await running
  }
  return { reports, problems, stop }
}

export const statesOf = (reports: readonly Reported[], id: string) =>
  reports.filter((each) => each.id === id).map(({ outcome }) => outcome.state)

export function payoutsContract(name: string, start: () => Promise<PayoutsUnderTest>): void {
  describe(`payouts contract: ${name}`, () => {
    let subject: PayoutsUnderTest
    let to: string
    let count = 0

    beforeAll(async () => {
      subject = await start()
    })
    afterAll(() => subject?.stop())
    beforeEach(() => {
      to = subject.freshAddress()
    })

    /** Creates a payout of these amounts to `to`, and puts the money at its order's deposit address, if it has one of its own. */
    async function funded(amounts: readonly bigint[], more: Partial<Payout> = {}): Promise<Payout> {
      const id = `payout-${count++}`
      const orderId = more.orderId ?? `order-of-${id}`
      const legs = amounts.map((amount) => ({ to, amount }))
      if (more.orderId === undefined) await subject.fund(orderId, sum(amounts))
      return { id, orderId, token: subject.token, legs, purpose: { kind: 'settlement', orderId, ref: 's1' }, ...more }
    }
    const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
    const ofOrderWith = async (amount: bigint): Promise<{ orderId: string }> => {
      const orderId = `funded-${count++}`
      await subject.fund(orderId, amount)
      return { orderId }
    }

    /** Mines blocks until the condition holds, because only blocks can make it true. */
    const minedUntil = (fact: () => unknown) =>
      until(async () => {
        const answer = fact()
        if (!answer) await subject.mine(1)
        return answer
      })
    const isConfirmed = (reports: readonly Reported[], { id }: Payout) => statesOf(reports, id).includes('confirmed')
    const signal = () => AbortSignal.timeout(60_000)

    /** Works on the queue with this process until the test's work is done. */
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

    test('default: pays every leg once, and reports each step once, with what it has cost', () => {
      const reported: unknown[] = []
      const collectPurpose: Report = async (_, { purpose }) => void reported.push(purpose)
      return withProcess(
        subject.create(),
        async ({ payouts, reports }) => {
          const others = [subject.freshAddress(), subject.freshAddress()] as const
          const payout = await funded([12n], { orderId: (await ofOrderWith(12n)).orderId })
          const legs = [
            { to, amount: 5n },
            { to: others[0], amount: 4n },
            { to: others[1], amount: 3n },
          ]
          const { coin } = await payouts.funds(subject.sql, signal())
          await subject.sql.begin((tx) => payouts.enqueue(tx, { ...payout, legs }))
          await until(() => statesOf(reports, payout.id).includes('broadcast'))
          await subject.mine(1)
          await until(() => statesOf(reports, payout.id).includes('mined'))
          expect(statesOf(reports, payout.id)).toEqual(['broadcast', 'mined'])
          await subject.mine(subject.confirmations - 1)
          await until(() => isConfirmed(reports, payout))
          const outcomes = reports.map(({ outcome }) => outcome)
          const [sent, mined, confirmed] = outcomes
          if (sent?.state !== 'broadcast' || confirmed?.state !== 'confirmed') throw new Error('it was not confirmed')
          const { txHash } = sent
          expect(mined).toEqual({ state: 'mined', txHash, ok: true })
          expect(confirmed).toMatchObject({ txHash, paid: [true, true, true] })
          expect(outcomes).toHaveLength(3)
          expect(coin - (await payouts.funds(subject.sql, signal())).coin).toBe(subject.paysItself ? 0n : confirmed.fee)
          expect(confirmed.fee).toBeGreaterThan(0n)
          expect(confirmed.gasUsed).toBeGreaterThan(0n)
          expect(reported).toEqual([payout.purpose, payout.purpose, payout.purpose])
          expect(await Promise.all([to, ...others].map(subject.balance))).toEqual([5n, 4n, 3n])
          expect(await payouts.ordersOf(subject.sql, [txHash, 'another'])).toEqual(new Map([[txHash, new Set([payout.orderId])]]))
        },
        collectPurpose,
      )
    })

    test('behavior: a settlement pays the recipient, and then the fees', () =>
      withProcess(subject.create(), async ({ payouts, reports }) => {
        const { recipient, feeCollector } = subject
        const before = await Promise.all([recipient, feeCollector].map(subject.balance))
        const legs = [
          { to: recipient, amount: 995n },
          { to: feeCollector, amount: 5n },
        ]
        const payout = { ...(await funded([], await ofOrderWith(1_000n))), legs }
        await payouts.enqueue(subject.sql, payout)
        await minedUntil(() => isConfirmed(reports, payout))
        expect(reports.at(-1)?.outcome).toMatchObject({ paid: [true, true] })
        const after = await Promise.all([recipient, feeCollector].map(subject.balance))
        expect(after.map((amount, i) => amount - before[i]!)).toEqual([995n, 5n])
      }))

    test('behavior: who enqueues again what is being reported does not wait for the report, which may wait for what he has locked', async () => {
      const payout = await funded([100n])
      const again = async () => {
        await subject.sql.begin(async (tx) => {
          await tx`set local lock_timeout = '2s'`
          await subject.create().enqueue(tx, payout)
        })
      }
      await withProcess(
        subject.create(),
        async ({ payouts, reports, problems }) => {
          await payouts.enqueue(subject.sql, payout)
          await minedUntil(() => isConfirmed(reports, payout) || problems.length > 0)
          expect(problems).toEqual([])
        },
        again,
      )
    })

    test('behavior: ignores a payout whose transaction was rolled back, and makes one of a payout enqueued twice', () =>
      withProcess(subject.create(), async ({ payouts, reports }) => {
        const undone = await funded([100n])
        const rollback = subject.sql.begin(async (tx) => {
          await payouts.enqueue(tx, undone)
          throw new Error('undo')
        })
        await expect(rollback).rejects.toThrow('undo')
        const order = await ofOrderWith(30n)
        const [payout, after] = [await funded([7n], order), await funded([1n], order)]
        const enqueue = (by: Payouts, given: Payout) => by.enqueue(subject.sql, given)
        await Promise.all([enqueue(payouts, payout), enqueue(payouts, payout), enqueue(subject.create(), payout)])
        await minedUntil(() => isConfirmed(reports, payout))
        await enqueue(payouts, payout)
        await enqueue(payouts, after)
        await minedUntil(() => isConfirmed(reports, after))
        expect(statesOf(reports, undone.id)).toEqual([])
        expect(await subject.balance(to)).toBe(8n)
      }))

    test('behavior: a leg that fails leaves the others', () =>
      withProcess(subject.create(), async ({ payouts, reports }) => {
        if (!subject.refusedAddress) return expect(subject.paysItself).toBe(true)
        const payout = await funded([], await ofOrderWith(10n))
        const legs = [to, await subject.refusedAddress(), to].map((address, i) => ({ to: address, amount: BigInt(i + 1) }))
        await payouts.enqueue(subject.sql, { ...payout, legs })
        await minedUntil(() => isConfirmed(reports, payout))
        expect(reports.at(-1)?.outcome).toMatchObject({ paid: [true, false, true] })
        expect(await subject.balance(to)).toBe(4n)
      }))

    test('error: a payout that the chain would refuse has failed, says why, costs nothing, and the next goes on', () =>
      withProcess(subject.create(), async ({ payouts, reports }) => {
        const bad = { ...(await funded([], { orderId: 'order-without-money' })), ...subject.impossible }
        const good = await funded([3n])
        await subject.sql.begin(async (tx) => {
          await payouts.enqueue(tx, bad)
          await payouts.enqueue(tx, good)
        })
        await minedUntil(() => isConfirmed(reports, good) && statesOf(reports, bad.id).length > 0)
        expect(reports.filter(({ id }) => id === bad.id)).toEqual([
          { id: bad.id, outcome: { state: 'failed', cause: 'reverts', reason: expect.stringMatching(/\w/) } },
        ])
        expect(await subject.balance(to)).toBe(3n)
      }))

    test('behavior: repeats an outcome until its report succeeds, and lets others pass', async () => {
      const order = await ofOrderWith(4n)
      const [failing, other] = [await funded([2n], order), await funded([2n], order)]
      const thrown: string[] = []
      const report: Report = async (_, { id }, { state }) => {
        if (id !== failing.id || thrown.filter((each) => each === state).length >= 2) return
        thrown.push(state)
        throw new Error('the ledger is busy')
      }
      await withProcess(
        subject.create(),
        async ({ payouts, reports }) => {
          await payouts.enqueue(subject.sql, failing)
          await payouts.enqueue(subject.sql, other)
          await minedUntil(() => [failing, other].every((payout) => isConfirmed(reports, payout)))
          expect(statesOf(reports, failing.id).slice(-2)).toEqual(['mined', 'confirmed'])
          expect(new Set(statesOf(reports, failing.id)).size).toBe(statesOf(reports, failing.id).length)
          expect(thrown).toEqual(expect.arrayContaining(['mined', 'mined', 'confirmed', 'confirmed']))
          expect(await subject.balance(to)).toBe(4n)
        },
        report,
      )
    })

    test('behavior: killed between any two steps it pays once', async () => {
      const order = await ofOrderWith(1_000n)
      let paid = 0n
      let killAt = 1
      for (let isDead = true; isDead; killAt += killStride) {
        const payout = await funded([1n], order)
        let steps = 0
        isDead = false
        const step = () => {
          isDead ||= ++steps >= killAt
          if (isDead) throw new Error('killed')
        }
        const seen: Reported[] = []
        const process = subject.create({ step })
        await process.enqueue(subject.sql, payout)
        await withProcess(
          process,
          async ({ reports }) => {
            await minedUntil(() => isDead || isConfirmed(reports, payout))
            seen.push(...reports)
          },
          async () => step(),
        )
        await withProcess(subject.create(), async ({ reports }) => {
          await minedUntil(() => isConfirmed([...seen, ...reports], payout))
          seen.push(...reports)
        })
        expect(statesOf(seen, payout.id).filter((state) => state === 'confirmed')).toHaveLength(1)
        expect(await subject.balance(to)).toBe(++paid)
      }
      expect(killAt).toBeGreaterThan(9)
    })

    test('behavior: signs again what is stuck, and counts whichever is mined', () =>
      withProcess(subject.create({ isImpatient: true }), async ({ payouts, reports }) => {
        const payout = await funded([6n])
        await payouts.enqueue(subject.sql, payout)
        const hashes = () => new Set(reports.flatMap(({ outcome }) => (outcome.state === 'broadcast' ? [outcome.txHash] : [])))
        await until(() => hashes().size >= 3)
        await minedUntil(() => isConfirmed(reports, payout))
        const last = reports.at(-1)?.outcome
        expect(last?.state === 'confirmed' && hashes().has(last.txHash)).toBe(true)
        expect(await subject.balance(to)).toBe(6n)
      }))

    test('behavior: reports a block that disappears, and pays once in another', () =>
      withProcess(subject.create(), async ({ payouts, reports }) => {
        const payout = await funded([9n])
        await payouts.enqueue(subject.sql, payout)
        await until(() => statesOf(reports, payout.id).includes('broadcast'))
        await subject.mine(1)
        await until(() => statesOf(reports, payout.id).includes('mined'))
        await subject.reorg(1)
        expect(await subject.balance(to)).toBe(0n)
        await until(() => statesOf(reports, payout.id).includes('unmined'))
        await minedUntil(() => isConfirmed(reports, payout))
        expect(statesOf(reports, payout.id)).toEqual(['broadcast', 'mined', 'unmined', 'mined', 'confirmed'])
        expect(await subject.balance(to)).toBe(9n)
        expect(await subject.sql.begin((tx) => payouts.markLost(tx, payout.id))).toBe(false)
      }))

    test('behavior: a node that answers late delays a payout, and doubles nothing', async () => {
      const payout = await funded([4n])
      let waiting = 0
      let answer = () => {}
      const late = new Promise<void>((resolve) => (answer = resolve))
      const step = () => {
        waiting++
        return late
      }
      await withProcess(subject.create({ step }), async ({ payouts, reports }) => {
        await payouts.enqueue(subject.sql, payout)
        await until(() => waiting > 0)
        await subject.mine(2)
        expect(statesOf(reports, payout.id)).toEqual([])
        answer()
        await minedUntil(() => isConfirmed(reports, payout))
        expect(await subject.balance(to)).toBe(4n)
      })
    })

    test.each<Lie>(['denies', 'drops', 'invents a block for'])(
      'behavior: a node that %s our transaction makes us pay once',
      async (lie) => {
        if (subject.lies && !subject.lies.includes(lie)) return
        const payout = await funded([4n])
        await withProcess(subject.create({ lie }), async ({ payouts, reports }) => {
          await payouts.enqueue(subject.sql, payout)
          await until(() => statesOf(reports, payout.id).includes('broadcast'))
          await subject.mine(subject.confirmations + 5)
          // If the node were believed, the payout would by now be confirmed or sent once more.
          const looked = Date.now()
          await until(() => Date.now() - looked > 300)
          expect(statesOf(reports, payout.id)).not.toContain('confirmed')
        })
        expect(await subject.balance(to)).toBe(lie === 'drops' ? 0n : 4n)
        await withProcess(subject.create(), async ({ reports }) => {
          await minedUntil(() => isConfirmed(reports, payout))
          expect(await subject.balance(to)).toBe(4n)
        })
      },
    )

    test('behavior: does everything once when several processes run at once', async () => {
      const processes = [subject.create(), subject.create(), subject.create()]
      const order = await ofOrderWith(30n)
      const queued = await Promise.all(Array.from({ length: 30 }, () => funded([1n], order)))
      const running = processes.map((payouts) => run(payouts, { sql: subject.sql }))
      try {
        await Promise.all(queued.map((payout, i) => processes[i % 3]!.enqueue(subject.sql, payout)))
        const reports = () => running.flatMap((each) => each.reports)
        await minedUntil(() => queued.every((payout) => isConfirmed(reports(), payout)))
        for (const { id } of queued) expect(statesOf(reports(), id)).toEqual(['broadcast', 'mined', 'confirmed'])
        expect(running.filter((each) => each.reports.length > 0)).toHaveLength(1)
        expect(await subject.balance(to)).toBe(30n)
      } finally {
        await Promise.all(running.map((each) => each.stop()))
      }
    })

    test('behavior: is taken over by another process when the first ends', async () => {
      const [first, second] = [run(subject.create(), { sql: subject.sql }), run(subject.create(), { sql: subject.sql })]
      const payouts = subject.create()
      const all = () => [...first.reports, ...second.reports]
      try {
        const order = await ofOrderWith(2n)
        const [before, after] = [await funded([1n], order), await funded([1n], order)]
        await payouts.enqueue(subject.sql, before)
        await minedUntil(() => isConfirmed(all(), before))
        await (first.reports.length > 0 ? first : second).stop()
        await payouts.enqueue(subject.sql, after)
        await minedUntil(() => isConfirmed(all(), after))
        expect(await subject.balance(to)).toBe(2n)
      } finally {
        await Promise.all([first.stop(), second.stop()])
      }
    })

    test('behavior: sends by priority and then by age, and shows how long payouts have waited', async () => {
      const payouts = subject.create()
      const order = await ofOrderWith(4n)
      const queued: Payout[] = []
      // Nobody has to sign for settlements first, so all are due at once.
      const legs = [{ to: subject.recipient, amount: 1n }]
      for (const priority of [1, undefined, 1, 0]) queued.push({ ...(await funded([], { ...order, priority })), legs })
      for (const payout of queued) await payouts.enqueue(subject.sql, payout)
      expect(await payouts.metrics(subject.sql)).toMatchObject({
        oldestUnsent: expect.any(Number),
        oldestUnmined: undefined,
        oldestUnsettled: expect.any(Number),
      })
      await withProcess(payouts, async ({ reports }) => {
        await minedUntil(() => queued.every((payout) => isConfirmed(reports, payout)))
        const sent = reports.filter(({ outcome }) => outcome.state === 'broadcast').map(({ id }) => id)
        expect(sent).toEqual([queued[1]!, queued[3]!, queued[0]!, queued[2]!].map(({ id }) => id))
      })
      expect(await payouts.metrics(subject.sql)).toEqual({ reopened: 0, lost: 0 })
    })
  })
}
