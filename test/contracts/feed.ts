import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Chain } from '../../server/chains/chain.ts'
import type { Follower } from '../../server/chains/feed.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { killStride } from '../support/full.ts'
import { createNotebook, type Notebook, type Noted } from './feed-notebook.ts'

/**
 * How a node misbehaves: it does not answer (silent, failing, dropping), lags behind by a few blocks with every or every second answer, names
 * a head that nobody has, or follows a fork of its own on which `to` was paid.
 */
export type Misbehavior = 'silent' | 'failing' | 'dropping' | 'behind' | 'behind every second time' | 'ahead' | 'forked'

/** A real chain that includes what was sent when the test says so. */
export interface FeedUnderTest {
  readonly chain: Pick<Chain, 'id' | 'feed' | 'nativeBalances'>
  /** A transfer is final with so many confirmations. */
  readonly needed: number
  /** It is null on a chain that has only its native coin. */
  readonly token: string | null
  /** Amounts are multiples of this, because some chains carry no smaller ones. */
  readonly unit: bigint
  /**
   * Transactions that the chain has not included are seen while they wait. Those that a reorganisation has removed wait again, and `mine`
   * includes them only after `sendAgain`.
   */
  readonly keepsWaiting: boolean
  /** The chain has certainly not removed what is final, so no reorganisation is as deep. */
  readonly keepsFinal?: true
  /** The feed drops a removed transfer when so many blocks have followed the reorganisation. The default is one. */
  readonly dropsAfter?: number
  newAddress(): string
  /** Sends a payment, which the next `mine` includes, and resolves to its transaction's hash. */
  pay(token: string | null, to: string, amount: bigint): Promise<string>
  /** Sends a payment that its receiver refuses, so that the next `mine` includes a transaction that moved nothing. */
  payInVain(): Promise<{ readonly txHash: string; readonly to: string }>
  /** Adds blocks, slots or checkpoints, of which the first includes everything that was sent. */
  mine(count?: number): Promise<void>
  /** Replaces the last blocks with empty ones. Their transactions can be sent again. */
  reorg(depth: number): Promise<void>
  sendAgain(txHash: string): Promise<void>
  /** Makes sure that a removed transaction never comes back: where it waits, the next `mine` includes another that excludes it. */
  abandon(txHash: string): Promise<void>
  /** Makes the chain's node misbehave. The returned function ends it and says how many of its answers that affected. */
  misbehave(how: Misbehavior, to: string): Promise<() => number>
  stop(): Promise<void>
}

/** What the service relies on from every family's feed. The chain and the database are real. */
export function feedContract(name: string, start: () => Promise<FeedUnderTest>): void {
  describe(`feed contract: ${name}`, () => {
    const signal = AbortSignal.timeout(600_000)
    let subject: FeedUnderTest
    let database: TestDatabase
    let sql: Sql
    let notebook: Notebook
    let follow: Follower
    let address: string
    /** The process is killed at the step with this number, counted from the last call of `killAt`. */
    let killsAt = Infinity
    let steps = 0
    const interrupt = () => {
      if (steps++ === killsAt) throw new Error('killed')
    }
    const killAt = (step: number) => ([killsAt, steps] = [step, 0])

    const startProcess = () =>
      subject.chain.feed.follower({ sql: interrupted(sql, interrupt), log: { warn: () => undefined }, observer: notebook.observer })
    const newAddress = () => {
      const made = subject.newAddress()
      notebook.watch(made)
      return made
    }

    beforeEach(async () => {
      killAt(Infinity)
      ;[subject, database] = await Promise.all([start(), createDatabase()])
      sql = connect(database.url)
      notebook = createNotebook(interrupt)
      address = newAddress()
      follow = startProcess()
      await catchUp()
    })
    afterEach(async () => {
      await sql?.end()
      await Promise.all([subject?.stop(), database?.drop()])
    })

    /** Takes steps until one reports nothing. A process that is killed is replaced by the next. */
    async function catchUp(): Promise<void> {
      for (let before = -1; before !== notebook.reports();) {
        before = notebook.reports()
        try {
          await follow(signal)
        } catch (error) {
          if (!(error instanceof Error) || error.message !== 'killed') throw error
          follow = startProcess()
          before = -1
        }
      }
    }
    /** Where removed transactions wait again, they are still seen without a position, and elsewhere they are gone. */
    const expectRemoved = (count: number) => {
      const left = seen().map(({ state, at, confirmations }) => ({ state, at, confirmations }))
      expect(left).toEqual(
        Array.from({ length: subject.keepsWaiting ? count : 0 }, () => ({ state: 'pending', at: undefined, confirmations: 0 })),
      )
    }
    const seen = () => notebook.transfersTo(address)
    const show = (transfers: readonly Noted[]) => transfers.map(({ txHash, token, amount, state }) => ({ txHash, token, amount, state }))

    test('default: sees a token transfer and a native one once each, counts their confirmations, and makes them final', async () => {
      const [first, second] = [
        await subject.pay(subject.token, address, 5n * subject.unit),
        await subject.pay(null, address, 7n * subject.unit),
      ]
      await subject.mine()
      await catchUp()
      const [token, coin] = seen().toSorted((a, b) => Number(a.amount - b.amount))
      expect(token).toMatchObject({
        chainId: subject.chain.id,
        txHash: first,
        token: subject.token,
        to: address,
        amount: 5n * subject.unit,
        state: 'pending',
      })
      expect(coin).toMatchObject({ txHash: second, token: null, amount: 7n * subject.unit })
      expect(new Set(seen().map(({ key }) => key)).size).toBe(2)
      for (let confirmations = 1; confirmations < subject.needed; confirmations++) {
        expect(seen().map((transfer) => [transfer.confirmations, transfer.needed, transfer.state])).toEqual(
          seen().map(() => [confirmations, subject.needed, 'pending']),
        )
        await subject.mine()
        await catchUp()
      }
      expect(seen().map(({ state }) => state)).toEqual(['final', 'final'])
    })

    test('behavior: money to other addresses and failed payments are not reported', async () => {
      await subject.pay(subject.token, subject.newAddress(), 5n * subject.unit)
      const failed = await subject.payInVain()
      notebook.watch(failed.to)
      await subject.mine(subject.needed)
      await catchUp()
      expect([...seen(), ...notebook.transfersTo(failed.to)]).toEqual([])
      expect(await subject.chain.feed.lookUp(failed.txHash, signal)).toEqual([])
    })

    test('behavior: what was paid while nobody followed is found, however long that was', async () => {
      const paid: string[] = []
      for (let index = 0; index < 5; index++) {
        paid.push(await subject.pay(subject.token, address, BigInt(index + 1) * subject.unit))
        await subject.mine(7)
      }
      follow = startProcess()
      await catchUp()
      expect(seen().map(({ txHash, state }) => [txHash, state])).toEqual(paid.map((txHash) => [txHash, 'final']))
      expect(await subject.chain.feed.status(sql, signal)).toEqual({ newest: expect.any(Number), read: expect.any(Number) })
      const { newest, read } = await subject.chain.feed.status(sql, signal)
      expect(read).toBe(newest)
    })

    test('behavior: a reorganisation drops a transfer, which has the same key when it is included again, and starts over', async () => {
      const txHash = await subject.pay(subject.token, address, 5n * subject.unit)
      await subject.mine(2)
      await catchUp()
      const [before] = seen()
      await subject.reorg(2)
      await subject.mine(subject.dropsAfter)
      await catchUp()
      expectRemoved(1)
      expect(await subject.chain.feed.stands(before!.at!, signal)).toBe(false)
      await subject.sendAgain(txHash)
      await subject.mine()
      await catchUp()
      const [again, ...others] = seen()
      expect(others).toEqual([])
      expect(again).toMatchObject({ key: before!.key, amount: 5n * subject.unit, confirmations: 1, state: 'pending' })
      expect(again!.at).not.toEqual(before!.at)
      expect(await subject.chain.feed.stands(again!.at!, signal)).toBe(true)
      await subject.mine(subject.needed)
      await catchUp()
      expect(show(seen())).toEqual([{ txHash, token: subject.token, amount: 5n * subject.unit, state: 'final' }])
    })

    test('behavior: a reorganisation deeper than finality drops what was final', async () => {
      if (subject.keepsFinal) return expect(subject.reorg(subject.needed + 2)).rejects.toThrow()
      await subject.pay(subject.token, address, 5n * subject.unit)
      await subject.mine(subject.needed + 2)
      await catchUp()
      expect(seen()).toMatchObject([{ state: 'final' }])
      await subject.reorg(subject.needed + 2)
      await subject.mine()
      await catchUp()
      expectRemoved(1)
    })

    test('behavior: a transfer that was recorded from a look-up is dropped if the follower never reads its position', async () => {
      const txHash = await subject.pay(subject.token, address, 5n * subject.unit)
      await subject.mine()
      await notebook.observer.arrived((await subject.chain.feed.lookUp(txHash, signal))!)
      expect(seen()).toMatchObject([{ state: 'pending' }])
      await subject.reorg(1)
      await subject.mine(subject.needed)
      await catchUp()
      expectRemoved(1)
    })

    test('behavior: a transfer that was recorded long ago is counted or dropped like any other, however many blocks came since', async () => {
      const txHash = await subject.pay(subject.token, address, 5n * subject.unit)
      await subject.mine()
      const [found] = (await subject.chain.feed.lookUp(txHash, signal))!
      const elsewhere = { ...found!, key: 'from another fork', at: { ...found!.at!, id: 'another fork' } }
      await notebook.observer.arrived([found!, elsewhere])
      await subject.mine(600)
      await catchUp()
      expect(seen()).toMatchObject([{ key: found!.key, state: 'final' }])
    })

    test('behavior: a process killed between any two steps loses and doubles nothing', async () => {
      let step = 0
      for (let isKilled = true; isKilled; step += killStride) {
        address = newAddress()
        killAt(step)
        const [token, coin] = [
          await subject.pay(subject.token, address, 3n * subject.unit),
          await subject.pay(null, address, 4n * subject.unit),
        ]
        await subject.mine()
        await catchUp()
        await subject.reorg(1)
        await subject.mine()
        await catchUp()
        for (const txHash of [token, coin]) await subject.sendAgain(txHash)
        const abandoned = await subject.pay(subject.token, address, 1000n * subject.unit)
        const depth = subject.keepsFinal ? subject.needed - 1 : subject.needed
        await subject.mine(depth)
        await catchUp()
        // What has so many blocks is removed, even where it is final, and the last payment never comes back.
        await subject.reorg(depth)
        await subject.abandon(abandoned)
        for (const txHash of [token, coin]) await subject.sendAgain(txHash)
        await subject.mine(subject.needed)
        await catchUp()
        isKilled = steps > killsAt
        killAt(Infinity)
        expect([step, show(seen()).toSorted((a, b) => Number(a.amount - b.amount))]).toEqual([
          step,
          [
            { txHash: token, token: subject.token, amount: 3n * subject.unit, state: 'final' },
            { txHash: coin, token: null, amount: 4n * subject.unit, state: 'final' },
          ],
        ])
      }
      expect(step).toBeGreaterThan(30)
    })

    test('behavior: two processes that both believe they hold the lease double nothing', async () => {
      const other = startProcess()
      const paid: string[] = []
      for (let index = 0; index < 8; index++) {
        paid.push(await subject.pay(subject.token, address, BigInt(index + 1) * subject.unit))
        await subject.mine()
        if (index === 4) await subject.reorg(1).then(() => subject.sendAgain(paid[4]!))
        const results = await Promise.allSettled([follow(signal), other(signal)])
        expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
        for (const result of results) if (result.status === 'rejected') expect(String(result.reason)).toMatch(/another process/)
      }
      await subject.mine(subject.needed)
      await catchUp()
      expect(seen().map(({ txHash, state }) => [txHash, state])).toEqual(paid.map((txHash) => [txHash, 'final']))
    })

    test.for(['silent', 'failing', 'dropping'] as const)(
      'error: a node that is %s rejects the step, and the next one goes on',
      async (how) => {
        const txHash = await subject.pay(subject.token, address, 5n * subject.unit)
        await subject.mine()
        const end = await subject.misbehave(how, address)
        await expect(follow(signal)).rejects.toMatchObject({ name: 'ChainUnavailable' })
        expect(end()).toBeGreaterThan(0)
        expect(seen()).toEqual([])
        await catchUp()
        expect(seen()).toMatchObject([{ txHash, amount: 5n * subject.unit, confirmations: 1 }])
      },
    )

    test.for(['behind', 'behind every second time', 'ahead', 'forked'] as const)(
      'behavior: wrong money is never final, and no money is lost, while a node lies: %s',
      async (how) => {
        const early = await subject.pay(subject.token, address, 5n * subject.unit)
        await subject.mine()
        await catchUp()
        const end = await subject.misbehave(how, address)
        const late = await subject.pay(subject.token, address, 6n * subject.unit)
        // The lie lasts for fewer blocks than make a transfer final, since nobody can tell a longer one from the truth.
        for (let block = 1; block < subject.needed; block++) {
          await subject.mine()
          for (let step = 0; step < 4; step++) {
            await follow(signal).catch((error: unknown) => expect(error).toMatchObject({ name: 'ChainUnavailable' }))
            expect(seen().map(({ txHash }) => txHash)).toContain(early)
          }
        }
        expect(end()).toBeGreaterThan(0)
        await subject.mine(subject.needed)
        await catchUp()
        expect(show(seen())).toEqual([
          { txHash: early, token: subject.token, amount: 5n * subject.unit, state: 'final' },
          { txHash: late, token: subject.token, amount: 6n * subject.unit, state: 'final' },
        ])
        const isTrue = new Set(seen().map(({ key }) => key))
        expect([...notebook.everFinal].filter((key) => !isTrue.has(key))).toEqual([])
      },
    )

    test('behavior: looking a transaction up shows what the follower reports, and nothing of one that is not part of the chain', async () => {
      const { feed } = subject.chain
      /** Shows a transaction without a position where those that wait are seen. */
      const expectNotIncluded = async (txHash: string) => {
        const found = await feed.lookUp(txHash, signal)
        if (!subject.keepsWaiting) return expect(found).toBeUndefined()
        expect(found).toEqual([expect.objectContaining({ txHash, to: address, amount: 11n * subject.unit, confirmations: 0 })])
        expect(found![0]!.at).toBeUndefined()
      }
      for (const token of [subject.token, null]) {
        address = newAddress()
        const txHash = await subject.pay(token, address, 11n * subject.unit)
        await expectNotIncluded(txHash)
        await subject.mine(2)
        await catchUp()
        // Where a chain's clock cannot be trusted, only the follower says when it saw a transfer.
        const { state: _, seenAt, ...reported } = seen()[0]!
        const found = await feed.lookUp(txHash, signal)
        expect(found).toMatchObject([reported])
        expect([undefined, seenAt]).toContain(found?.[0]?.seenAt)
        await subject.reorg(2)
        await expectNotIncluded(txHash)
      }
    })

    test('behavior: a step ends when its signal aborts, and the time to finality is known without a node', async () => {
      await expect(follow(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
      expect(subject.chain.feed.secondsToFinal(null, 1n)).toBeGreaterThan(0)
    })

    test('behavior: native coin in a final balance is read with its position, which counts once the follower has read it', async () => {
      const reader = subject.chain.nativeBalances
      if (!reader) return expect(reader).toBeUndefined()
      await subject.pay(null, address, 9n * subject.unit)
      await subject.mine(subject.needed)
      const read = await reader.atLastFinal([subject.newAddress(), address], signal)
      expect(read).toMatchObject({ amounts: [0n, 9n * subject.unit], needed: subject.needed })
      expect(await reader.isRead(sql, read!.at)).toBe(false)
      await catchUp()
      expect(await reader.isRead(sql, read!.at)).toBe(true)
      expect(seen()).toMatchObject([{ at: read!.at }])
      expect(await reader.isRead(sql, { ...read!.at, id: 'another fork' })).toBe(false)
      expect(reader.isSweepDue(read!.at.height, read!.at)).toBe(false)
      expect(reader.isSweepDue(read!.at.height, { ...read!.at, height: read!.at.height + 100_000 })).toBe(true)
    })
  })
}

/** Calls `interrupt` before and after each statement and each transaction, as a process may be killed before or after a commit. */
function interrupted(sql: Sql, interrupt: () => void): Sql {
  const between = async (work: () => PromiseLike<unknown>) => {
    interrupt()
    const result = await work()
    interrupt()
    return result
  }
  return new Proxy(sql, {
    apply: (target, _self, args: Parameters<Sql>) => between(() => target(...args)),
    get: (target, name) => (name === 'begin' ? (work: never) => between(() => target.begin(work)) : Reflect.get(target, name)),
  })
}
