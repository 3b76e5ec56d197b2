import type { Block, Chain, ChainTransfer } from '../chains/chain.ts'
import type { Arrival } from '../orders/model/commands.ts'
import type { Order } from '../orders/model/order.ts'
import { appendToSetAside, dueSetAside, setAside, setAsideIds, clearSetAside } from '../orders/set-aside.ts'
import { withLease } from '../database/lease.ts'
import {
  advanceCursor,
  type BlockCursor,
  ordersAwaitingConfirmation,
  readBlockCursor,
  storedBlocks,
  rewindCursor,
  transfersAbove,
  transfersOnOtherForks,
  nonCanonicalTransfers,
} from './block-cursor.ts'
import { orderById, ordersByDeposit, ordersById } from '../orders/order-queries.ts'
import { ordersOfSends } from '../outgoing/evm/queue.ts'
import type { Report } from '../chains/sender.ts'
import { arrivalOf, recordArrivals } from '../orders/observe.ts'
import type { Engine } from '../orders/engine.ts'
import { forEachConcurrently } from '../lib/for-each-concurrently.ts'
import { backoffMs, pause } from '../lib/pause.ts'
import { record } from '../orders/record.ts'
import { reopenSends } from '../outgoing/reopen.ts'
import { type ReportsByKind, reportToOrder } from '../outgoing/settle.ts'
import { sweepDue } from './sweep.ts'

export interface WatchPace {
  readonly pollMs: number
  readonly maxRange: number
  readonly sweepEveryBlocks: number
}

const loadedAtOnce = 100

/** The holder of the chain's lease reads on from a stored cursor. Every step may be repeated, because orders recognise transfers by key. */
export async function watch(engine: Engine, chain: Chain, pace: WatchPace, signal: AbortSignal, others: ReportsByKind = {}): Promise<void> {
  const report = reportToOrder(engine, others)
  let failures = 0
  while (!signal.aborted) {
    try {
      await withLease(engine.sql, `till:watch:${chain.id}`, { retryMs: 500, signal }, async (held) => {
        let head: Block | undefined
        while (!held.aborted) {
          const next = await chain.head(held)
          if (next.hash === head?.hash) {
            await pause(pace.pollMs, held)
          } else {
            head = (await scanOnce(engine, chain, pace, next, report, held)) ? next : undefined
          }
          failures = 0
        }
      })
    } catch (error) {
      if (signal.aborted) return
      failures++
      const wait = backoffMs(failures, { firstMs: 100, longestMs: 15_000 }) * (0.5 + Math.random() / 2)
      engine.log.warn({ err: error, chain: chain.id, waitMs: Math.round(wait) }, 'cannot watch a chain; retrying')
      await pause(wait, signal)
    }
  }
}

/** Scans at most one range of blocks and returns whether it has reached the head. */
async function scanOnce(engine: Engine, chain: Chain, pace: WatchPace, head: Block, report: Report, signal: AbortSignal): Promise<boolean> {
  const { sql } = engine
  const cursor = await onCanonicalChain(engine, chain, head, report, signal)
  if (cursor === undefined) {
    await pause(pace.pollMs, signal)
    return false
  }
  const to = Math.min(head.number, cursor.block + pace.maxRange)
  if (to > cursor.block) {
    const filterOurs = async (addresses: readonly string[]) => new Set((await ordersByDeposit(sql, addresses)).keys())
    const { blocks, transfers } = await chain.scan(cursor.block + 1, to, signal, filterOurs)
    if (blocks[0]?.parentHash !== cursor.hash) return false
    const found = await arrivalsByOrder(engine, transfers)
    const aside = await setAsideIds(sql, chain.id)
    // Orders with the fewest transfers come first, so that thousands of small ones to one order do not delay the others.
    const ids = [...found.keys()].sort((a, b) => (found.get(a)?.length ?? 0) - (found.get(b)?.length ?? 0))
    const arrivals = (orderId: string) => found.get(orderId) ?? []
    for (const id of ids.filter((orderId) => aside.has(orderId))) await appendToSetAside(sql, id, chain.id, arrivals(id))
    await eachOrder(
      engine,
      chain,
      ids.filter((id) => !aside.has(id)),
      { work: (order) => recordArrivals(engine, order, arrivals(order.id), head.number), arrivals },
    )
    await advanceCursor(sql, chain.id, cursor, blocks)
  }
  await drop(engine, chain, await transfersOnOtherForks(sql, chain.id))
  if (to < head.number) return false
  const aside = await setAsideIds(sql, chain.id)
  const waiting = (await ordersAwaitingConfirmation(sql, chain.id)).filter((id) => !aside.has(id))
  await eachOrder(engine, chain, waiting, {
    work: (order) => record(engine, order, { type: 'block', chainId: chain.id, head: head.number }),
  })
  await retryAside(engine, chain, head, signal)
  if (!(await reopenSends(engine, chain, report, signal))) return true
  await sweepDue(engine, chain, pace.sweepEveryBlocks, head, signal).catch((error: unknown) => {
    if (signal.aborted) throw error
    engine.log.warn({ err: error, chain: chain.id }, 'cannot sweep balances; retrying at the next block')
  })
  return true
}

async function arrivalsByOrder(engine: Engine, transfers: readonly ChainTransfer[]): Promise<Map<string, Arrival[]>> {
  const owners = await ordersByDeposit(engine.sql, [...new Set(transfers.map((transfer) => transfer.to))])
  const ours = transfers.filter((transfer) => owners.has(transfer.to))
  const own = await ordersOfSends(engine.sql, [...new Set(ours.map((transfer) => transfer.txHash))])
  const found = new Map<string, Arrival[]>()
  for (const transfer of ours) {
    const orderId = owners.get(transfer.to)
    // A settlement that converts sends the proceeds back to the deposit address. Its receipt reports them, and they are not a payment.
    const arrival = orderId !== undefined && own.get(transfer.txHash) !== orderId ? arrivalOf(engine, transfer) : undefined
    if (orderId === undefined || !arrival) continue
    const before = found.get(orderId)
    if (before) before.push(arrival)
    else found.set(orderId, [arrival])
  }
  return found
}

/** Returns the cursor, moved back to the last canonical block after a reorganisation, or undefined if the node lags behind it. */
async function onCanonicalChain(
  engine: Engine,
  chain: Chain,
  head: Block,
  report: Report,
  signal: AbortSignal,
): Promise<BlockCursor | undefined> {
  const { sql } = engine
  const cursor = await readBlockCursor(sql, chain.id)
  if (!cursor) {
    // The first stored block is a final one, so that an ordinary reorganisation leaves a common block to go back to.
    const first = (await chain.block(Math.max(0, head.number - chain.confirmations), signal)) ?? head
    await advanceCursor(sql, chain.id, undefined, [first])
    return readBlockCursor(sql, chain.id)
  }
  const known = await storedBlocks(sql, chain.id, Math.min(cursor.block, head.number))
  for (const { block, hash } of known) {
    const now = block === head.number ? head : await chain.block(block, signal)
    if (!now) return undefined
    if (now.hash !== hash) continue
    if (block === cursor.block) return cursor
    if (block === head.number && head.number < cursor.block) return undefined
    engine.log.warn({ chain: chain.id, from: cursor.block, to: block }, 'a chain was reorganised; going back to the last common block')
    // Transfers are dropped before the cursor moves, so that a crash in between repeats both.
    await drop(engine, chain, await transfersAbove(sql, chain.id, block))
    await reopenSends(engine, chain, report, signal, block)
    await rewindCursor(sql, chain.id, { number: block, hash })
    return { ...cursor, block, hash }
  }
  throw new Error(`chain ${chain.id} shares no block with the last ${known.length} that were read: the node is on another chain`)
}

const drop = (engine: Engine, chain: Chain, gone: ReadonlyMap<string, readonly string[]>): Promise<void> =>
  eachOrder(engine, chain, [...gone.keys()], {
    work: (order) => record(engine, order, { type: 'vanished', keys: gone.get(order.id) ?? [] }),
  })

interface Work {
  work(order: Order): Promise<unknown>
  /** Returns the transfers that are stored with an order that is set aside, so that they are recorded later. */
  arrivals?(orderId: string): readonly Arrival[]
}

/** An order whose work throws is set aside with its transfers and retried with back-off, so that one faulty order never stops its chain. */
async function eachOrder(engine: Engine, chain: Chain, ids: readonly string[], { work, arrivals }: Work): Promise<void> {
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
        await setAside(engine.sql, id, chain.id, arrivals?.(id) ?? [], reason)
        engine.log.warn(
          { err: error, order: id, chain: chain.id },
          'an order cannot record its transfers; set aside, retrying with back-off',
        )
      }
    })
  }
}

/** Retries orders that were set aside: it records their transfers from canonical blocks and drops those from other blocks. */
async function retryAside(engine: Engine, chain: Chain, head: Block, signal: AbortSignal): Promise<void> {
  for (const aside of await dueSetAside(engine.sql, chain.id)) {
    signal.throwIfAborted()
    await eachOrder(engine, chain, [aside.orderId], {
      work: async (order) => {
        const canonicalByBlock = new Map<number, boolean>()
        for (const { block, blockHash } of aside.arrivals)
          if (!canonicalByBlock.has(block)) canonicalByBlock.set(block, (await chain.block(block, signal))?.hash === blockHash)
        const gone = await nonCanonicalTransfers(engine.sql, chain.id, order.id)
        if (gone.length > 0) await record(engine, order, { type: 'vanished', keys: gone })
        const arrivals = aside.arrivals.filter(({ block }) => canonicalByBlock.get(block))
        const current = await recordArrivals(engine, (await orderById(engine.sql, order.id)) ?? order, arrivals, head.number)
        // The step that failed may have been counting confirmations, so that must succeed too before the stored transfers are deleted.
        await record(engine, current, { type: 'block', chainId: chain.id, head: head.number })
        await clearSetAside(engine.sql, aside, chain.id)
      },
    })
  }
}
