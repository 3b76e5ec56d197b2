import { afterCommit } from '../../server/database/transaction.ts'
import type { Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Call } from '../../server/chains/chain.ts'
import type { Report, Sender, SendOutcome } from '../../server/chains/sender.ts'
import { until } from '../support/wait.ts'

/** Each implementation provides a chain that mines only on request, and a database. */
export interface SenderUnderTest {
  readonly chainId: ChainId
  readonly confirmations: number
  readonly sql: Sql
  /** Creates a sender as another process would. */
  create(): Sender
  /** Returns a call that moves this amount to the address. `moved` reads the total. */
  call(to: string, amount: bigint): Call
  moved(to: string): Promise<bigint>
  revertingCall(): Call
  freshAddress(): string
  mine(blocks: number): Promise<void>
  reorg(depth: number): Promise<void>
  stop(): Promise<void>
}

export interface Reported {
  readonly id: string
  readonly outcome: SendOutcome
}

/** Starts a sender and records its reports after their transactions commit. */
export function run(
  sender: Sender,
  chainId: ChainId,
  report: Report = async () => undefined,
): { reports: Reported[]; stop(): Promise<void> } {
  const reports: Reported[] = []
  const stopping = new AbortController()
  const running = sender.run(
    chainId,
    async (sql, send, outcome) => {
      await report(sql, send, outcome)
      afterCommit(sql, () => reports.push({ id: send.id, outcome }))
    },
    stopping.signal,
  )
  return {
    reports,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

export const statesOf = (reports: readonly Reported[], id: string) =>
  reports.filter((each) => each.id === id).map(({ outcome }) => outcome.state)

export function senderContract(name: string, start: () => Promise<SenderUnderTest>): void {
  describe(`sender contract: ${name}`, () => {
    let subject: SenderUnderTest
    let to: string
    let count = 0

    beforeAll(async () => {
      subject = await start()
    })
    afterAll(() => subject?.stop())
    beforeEach(() => {
      to = subject.freshAddress()
    })

    const request = (call: Call) => {
      const id = `send-${count++}`
      return { ...call, id, chainId: subject.chainId, purpose: { kind: 'settle', orderId: `order-of-${id}`, ref: 'leg 1' } }
    }

    /** Mines blocks until the condition holds, because only blocks can make it true. */
    const minedUntil = (fact: () => unknown) =>
      until(async () => {
        const answer = fact()
        if (!answer) await subject.mine(1)
        return answer
      })

    test('behavior: carries a request to the chain and reports each step once', async () => {
      const sender = subject.create()
      const purposes: unknown[] = []
      const running = run(sender, subject.chainId, async (_, { purpose }) => void purposes.push(purpose))
      try {
        const queued = request(subject.call(to, 5n))
        await subject.sql.begin((sql) => sender.enqueue(sql, queued))
        await until(() => statesOf(running.reports, queued.id).includes('broadcast'))
        await subject.mine(1)
        await until(() => statesOf(running.reports, queued.id).includes('mined'))
        expect(statesOf(running.reports, queued.id)).toEqual(['broadcast', 'mined'])
        await subject.mine(subject.confirmations - 1)
        await until(() => statesOf(running.reports, queued.id).includes('confirmed'))
        expect(statesOf(running.reports, queued.id)).toEqual(['broadcast', 'mined', 'confirmed'])
        const [sent, mined, confirmed] = running.reports.map(({ outcome }) => outcome)
        expect(mined).toMatchObject({ receipt: { ok: true, txHash: (sent as { txHash: string }).txHash } })
        expect(confirmed).toMatchObject({ receipt: { ok: true, gasUsed: expect.any(BigInt) } })
        expect(purposes).toEqual([queued.purpose, queued.purpose, queued.purpose])
        expect(await subject.moved(to)).toBe(5n)
      } finally {
        await running.stop()
      }
    })

    test('behavior: ignores a request whose transaction was rolled back, and makes one of a request enqueued twice', async () => {
      const sender = subject.create()
      const running = run(sender, subject.chainId)
      try {
        const undone = request(subject.call(to, 100n))
        const rollback = subject.sql.begin(async (sql) => {
          await sender.enqueue(sql, undone)
          throw new Error('undo')
        })
        await expect(rollback).rejects.toThrow('undo')
        const queued = request(subject.call(to, 7n))
        await Promise.all([
          sender.enqueue(subject.sql, queued),
          sender.enqueue(subject.sql, queued),
          subject.create().enqueue(subject.sql, queued),
        ])
        await minedUntil(() => statesOf(running.reports, queued.id).includes('confirmed'))
        await sender.enqueue(subject.sql, queued)
        const after = request(subject.call(to, 1n))
        await sender.enqueue(subject.sql, after)
        await minedUntil(() => statesOf(running.reports, after.id).includes('confirmed'))
        expect(statesOf(running.reports, undone.id)).toEqual([])
        expect(await subject.moved(to)).toBe(8n)
      } finally {
        await running.stop()
      }
    })

    test('error: refuses what would revert, says why, and goes on with the next', async () => {
      const sender = subject.create()
      const running = run(sender, subject.chainId)
      try {
        const [bad, good] = [request(subject.revertingCall()), request(subject.call(to, 3n))]
        await subject.sql.begin(async (sql) => {
          await sender.enqueue(sql, bad)
          await sender.enqueue(sql, good)
        })
        await minedUntil(() => statesOf(running.reports, good.id).includes('confirmed'))
        expect(running.reports.filter(({ id }) => id === bad.id)).toEqual([
          { id: bad.id, outcome: { state: 'refused', cause: 'reverts', reason: expect.stringMatching(/\w/) } },
        ])
        expect(await subject.moved(to)).toBe(3n)
      } finally {
        await running.stop()
      }
    })

    test('behavior: repeats an outcome until its report succeeds, and lets others pass', async () => {
      const sender = subject.create()
      const failing = request(subject.call(to, 2n))
      const other = request(subject.call(to, 2n))
      const thrown: string[] = []
      const running = run(sender, subject.chainId, async (_, send, { state }) => {
        if (send.id !== failing.id || thrown.filter((each) => each === state).length >= 2) return
        thrown.push(state)
        throw new Error('the ledger is busy')
      })
      try {
        await sender.enqueue(subject.sql, failing)
        await sender.enqueue(subject.sql, other)
        await minedUntil(() => [failing, other].every(({ id }) => statesOf(running.reports, id).includes('confirmed')))
        expect(statesOf(running.reports, failing.id).slice(-2)).toEqual(['mined', 'confirmed'])
        expect(new Set(statesOf(running.reports, failing.id)).size).toBe(statesOf(running.reports, failing.id).length)
        expect(thrown).toEqual(expect.arrayContaining(['mined', 'mined', 'confirmed', 'confirmed']))
        expect(await subject.moved(to)).toBe(4n)
      } finally {
        await running.stop()
      }
    })

    test('behavior: reports a block that disappears, and mines the same request again', async () => {
      const sender = subject.create()
      const running = run(sender, subject.chainId)
      try {
        const queued = request(subject.call(to, 9n))
        await sender.enqueue(subject.sql, queued)
        await until(() => statesOf(running.reports, queued.id).includes('broadcast'))
        await subject.mine(1)
        await until(() => statesOf(running.reports, queued.id).includes('mined'))
        await subject.reorg(1)
        expect(await subject.moved(to)).toBe(0n)
        await until(() => statesOf(running.reports, queued.id).includes('unmined'))
        await minedUntil(() => statesOf(running.reports, queued.id).includes('confirmed'))
        expect(statesOf(running.reports, queued.id)).toEqual(['broadcast', 'mined', 'unmined', 'mined', 'confirmed'])
        expect(await subject.moved(to)).toBe(9n)
      } finally {
        await running.stop()
      }
    })

    test('behavior: does everything once when several processes run at once', async () => {
      const processes = [subject.create(), subject.create(), subject.create()]
      const running = processes.map((sender) => run(sender, subject.chainId))
      try {
        const queued = Array.from({ length: 30 }, () => request(subject.call(to, 1n)))
        await Promise.all(queued.map((each, i) => processes[i % 3]!.enqueue(subject.sql, each)))
        const reports = () => running.flatMap((each) => each.reports)
        await minedUntil(() => queued.every(({ id }) => statesOf(reports(), id).includes('confirmed')))
        for (const { id } of queued) expect(statesOf(reports(), id)).toEqual(['broadcast', 'mined', 'confirmed'])
        expect(running.filter((each) => each.reports.length > 0)).toHaveLength(1)
        expect(await subject.moved(to)).toBe(30n)
      } finally {
        await Promise.all(running.map((each) => each.stop()))
      }
    })

    test('behavior: is taken over by another process when the first ends', async () => {
      const [first, second] = [run(subject.create(), subject.chainId), run(subject.create(), subject.chainId)]
      const sender = subject.create()
      const all = () => [...first.reports, ...second.reports]
      try {
        const before = request(subject.call(to, 1n))
        await sender.enqueue(subject.sql, before)
        await minedUntil(() => statesOf(all(), before.id).includes('confirmed'))
        await (first.reports.length > 0 ? first : second).stop()
        const after = request(subject.call(to, 1n))
        await sender.enqueue(subject.sql, after)
        await minedUntil(() => statesOf(all(), after.id).includes('confirmed'))
        expect(await subject.moved(to)).toBe(2n)
      } finally {
        await Promise.all([first.stop(), second.stop()])
      }
    })
  })
}
