import type { Chain } from '../chains/chain.ts'
import type { Judge, Observer, Position, ReplacedTransfer, SeenTransfer, Verdict } from '../chains/feed.ts'
import type { Report } from '../chains/payouts.ts'
import { forEachConcurrently } from '../lib/for-each-concurrently.ts'
import type { Engine } from '../orders/engine.ts'
import type { Arrival } from '../orders/model/commands.ts'
import type { Order } from '../orders/model/order.ts'
import { positionOf, type Progress, withoutPlace } from '../orders/model/position.ts'
import { arrivalOf, recordArrivals } from '../orders/observe.ts'
import { orderById, ordersByDeposit, ordersById } from '../orders/order-queries.ts'
import { record } from '../orders/record.ts'
import { appendToSetAside, clearSetAside, dueSetAside, type SetAside, setAside, setAsideIds } from '../orders/set-aside.ts'
import { movesObserver } from './moves.ts'
import { sweepDue } from './sweep.ts'
import { ordersAwaitingConfirmation, pendingTransfersAt, positionsAwaitingConfirmation, transfersAbove } from './transfer-queries.ts'

const loadedAtOnce = 100

/** Writes down on orders what the feed of a chain reports. */
export function observerOf(engine: Engine, chain: Chain, report: Report): Observer {
  const { sql, log } = engine
  const ports = { sql, log, report }
  return {
    ours: async (addresses) => new Set((await ordersByDeposit(sql, addresses)).keys()),
    arrived: (transfers, replaced = []) => recordTransfers(engine, chain, transfers, replaced),
    removedAfter: async (last, signal, { stayPending } = { stayPending: false }) => {
      const removed = await transfersAbove(sql, chain.id, last)
      await (stayPending ? unplace(engine, chain, removed) : drop(engine, chain, removed))
      // Coin that is back at an address must not look like new money.
      await chain.moves?.undoAfter({ sql, log, observer: movesObserver(engine, chain) }, last)
      await chain.payouts.reopen(ports, signal, last)
    },
    review: async (newest, judge, signal) => {
      await reviewWaiting(engine, chain, judge)
      await retryAside(engine, chain, judge, signal)
      if (!(await chain.payouts.reopen(ports, signal))) return
      await sweepDue(engine, chain, newest, signal).catch((error: unknown) => {
        if (signal.aborted) throw error
        engine.log.warn({ err: error, chain: chain.id }, 'cannot sweep balances; retrying at the next review')
      })
    },
  }
}

async function recordTransfers(
  engine: Engine,
  chain: Chain,
  transfers: readonly SeenTransfer[],
  replaced: readonly ReplacedTransfer[],
): Promise<void> {
  if (transfers.length === 0 && replaced.length === 0) return
  const found = await arrivalsByOrder(engine, chain, transfers)
  const owners = await ordersByDeposit(engine.sql, [...new Set(replaced.map(({ to }) => to))])
  const replacedOf = (orderId: string) => replaced.filter(({ to }) => owners.get(to) === orderId).map(({ key, by }) => ({ key, by }))
  const aside = await setAsideIds(engine.sql, chain.id)
  // Orders with the fewest transfers come first, so that thousands of small ones to one order do not delay the others.
  const all = new Set([...found.keys(), ...owners.values()])
  const ids = [...all].sort((a, b) => (found.get(a)?.length ?? 0) - (found.get(b)?.length ?? 0))
  const kept = (orderId: string) => ({ arrivals: found.get(orderId) ?? [], replaced: replacedOf(orderId) })
  for (const id of ids.filter((orderId) => aside.has(orderId))) await appendToSetAside(engine.sql, id, chain.id, kept(id))
  await eachOrder(
    engine,
    chain,
    ids.filter((id) => !aside.has(id)),
    { work: (order) => recordArrivals(engine, order, found.get(order.id) ?? [], replacedOf(order.id)), kept },
  )
}

async function arrivalsByOrder(engine: Engine, chain: Chain, transfers: readonly SeenTransfer[]): Promise<Map<string, Arrival[]>> {
  const owners = await ordersByDeposit(engine.sql, [...new Set(transfers.map((transfer) => transfer.to))])
  const ours = transfers.filter((transfer) => owners.has(transfer.to))
  const own = await chain.payouts.ordersOf(engine.sql, [...new Set(ours.map((transfer) => transfer.txHash))])
  const found = new Map<string, Arrival[]>()
  for (const transfer of ours) {
    const orderId = owners.get(transfer.to)
    // A settlement that converts sends the proceeds back to the deposit address. Its receipt reports them, and they are not a payment.
    const arrival = orderId !== undefined && !own.get(transfer.txHash)?.has(orderId) ? arrivalOf(engine, transfer) : undefined
    if (orderId === undefined || !arrival) continue
    const before = found.get(orderId)
    if (before) before.push(arrival)
    else found.set(orderId, [arrival])
  }
  return found
}

/** Drops pending transfers whose position is gone, and counts the confirmations of the others. */
async function reviewWaiting(engine: Engine, chain: Chain, judge: Judge): Promise<void> {
  const waiting = await positionsAwaitingConfirmation(engine.sql, chain.id)
  if (waiting.length === 0) return
  const verdicts = await judge(waiting)
  const gone = waiting.filter(({ id }) => verdicts.get(id) === 'gone')
  if (gone.length > 0) await drop(engine, chain, await pendingTransfersAt(engine.sql, chain.id, gone))
  const progress = progressOf(verdicts)
  if (progress.length === 0) return
  const aside = await setAsideIds(engine.sql, chain.id)
  const ids = (await ordersAwaitingConfirmation(engine.sql, chain.id)).filter((id) => !aside.has(id))
  await eachOrder(engine, chain, ids, { work: (order) => record(engine, order, { type: 'progress', chainId: chain.id, progress }) })
}

const progressOf = (verdicts: ReadonlyMap<string, Verdict>): readonly Progress[] =>
  [...verdicts].flatMap(([id, verdict]) => (verdict === 'gone' ? [] : [{ id, confirmations: verdict.confirmations }]))

const drop = (engine: Engine, chain: Chain, gone: ReadonlyMap<string, readonly string[]>): Promise<void> =>
  eachOrder(engine, chain, [...gone.keys()], {
    work: (order) => record(engine, order, { type: 'vanished', keys: gone.get(order.id) ?? [] }),
  })

/** Their transactions are not part of the chain any more and wait to be included again. */
const unplace = (engine: Engine, chain: Chain, removed: ReadonlyMap<string, readonly string[]>): Promise<void> =>
  eachOrder(engine, chain, [...removed.keys()], {
    work: (order) => {
      const keys = new Set(removed.get(order.id))
      const transfers = order.transfers.filter(({ key }) => keys.has(key)).map((transfer) => withoutPlace(transfer))
      return record(engine, order, { type: 'arrived', transfers })
    },
  })

interface Work {
  work(order: Order): Promise<unknown>
  /** Returns what is stored with an order that is set aside, so that it is recorded later. */
  kept?(orderId: string): Pick<SetAside, 'arrivals' | 'replaced'>
}

/** An order whose work throws is set aside with its transfers and retried with back-off, so that one faulty order never stops its chain. */
async function eachOrder(engine: Engine, chain: Chain, ids: readonly string[], { work, kept }: Work): Promise<void> {
  for (let start = 0; start < ids.length; start += loadedAtOnce) {
    const batch = ids.slice(start, start + loadedAtOnce)
    const orders = new Map((await ordersById(engine.sql, batch)).map((order) => [order.id, order]))
    await forEachConcurrently(8, batch, async (id) => {
      const order = orders.get(id)
      if (!order) return
      try {
        await work(order)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        await setAside(engine.sql, id, chain.id, kept?.(id) ?? { arrivals: [], replaced: [] }, reason)
        engine.log.warn(
          { err: error, order: id, chain: chain.id },
          'an order cannot record its transfers; set aside, retrying with back-off',
        )
      }
    })
  }
}

/** Retries orders that were set aside: it records their transfers from positions that stand and drops those from positions that are gone. */
async function retryAside(engine: Engine, chain: Chain, judge: Judge, signal: AbortSignal): Promise<void> {
  for (const aside of await dueSetAside(engine.sql, chain.id)) {
    signal.throwIfAborted()
    await eachOrder(engine, chain, [aside.orderId], {
      work: async (order) => {
        const recorded = order.transfers.filter((transfer) => transfer.asset.chainId === chain.id && transfer.state !== 'dropped')
        const verdicts = await judge(positionsOf([...aside.arrivals, ...recorded]))
        const verdictOn = (transfer: Arrival) => verdicts.get(positionOf(transfer)?.id ?? '')
        const gone = recorded.filter((transfer) => verdictOn(transfer) === 'gone').map(({ key }) => key)
        if (gone.length > 0) await record(engine, order, { type: 'vanished', keys: gone })
        const replaced = new Set(aside.replaced.map(({ key }) => key))
        const arrivals = aside.arrivals.flatMap((arrival) => {
          if (positionOf(arrival) === undefined) return replaced.has(arrival.key) ? [] : [arrival]
          const verdict = verdictOn(arrival)
          if (verdict === undefined) throw new Error(`the chain does not know yet where ${arrival.key} was`)
          return verdict === 'gone' ? [] : [{ ...arrival, ...verdict }]
        })
        const current = await recordArrivals(engine, (await orderById(engine.sql, order.id)) ?? order, arrivals, aside.replaced)
        // The step that failed may have been counting confirmations, so that must succeed too before the stored transfers are deleted.
        await record(engine, current, { type: 'progress', chainId: chain.id, progress: progressOf(verdicts) })
        await clearSetAside(engine.sql, aside, chain.id)
      },
    })
  }
}

function positionsOf(transfers: readonly Arrival[]): readonly Position[] {
  const byId = new Map<string, Position>()
  for (const transfer of transfers) {
    const at = positionOf(transfer)
    if (at) byId.set(at.id, at)
  }
  return [...byId.values()]
}
