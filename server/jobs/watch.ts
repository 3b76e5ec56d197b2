import type { Block, Chain } from '../chains/chain.ts'
import type { Order } from '../domain/order.ts'
import { withLease } from '../store/lease.ts'
import {
  advanceCursor,
  type BlockCursor,
  ordersAwaitingConfirmation,
  readBlockCursor,
  rememberedBlocks,
  rewindCursor,
  transfersAbove,
  transfersElsewhere,
} from '../store/blocks.ts'
import { ordersByDeposit, ordersById } from '../store/orders.ts'
import { ordersOfSends } from '../chains/evm/sender/queue.ts'
import { arrivalOf } from './arrival.ts'
import type { Engine } from './engine.ts'
import { inParallel } from './inParallel.ts'
import { pause } from './pause.ts'
import { record } from './record.ts'
import { priceForArrival } from './repricing.ts'
import { sweepDue } from './sweep.ts'

export interface WatchPace {
  readonly pollMs: number
  readonly maxRange: number
  readonly sweepEveryBlocks: number
}

const slowestMs = 15_000
const readAtOnce = 100

/**
 * Sees money. Of all processes one watches a chain at a time; it reads block after block from a cursor that is kept in the database,
 * checks that each follows the last, and tells orders what arrived, how deep it is by now, and what is gone. Everything it does may be
 * done twice: orders know a transfer by its key.
 */
export const watch = async (engine: Engine, chain: Chain, pace: WatchPace, signal: AbortSignal): Promise<void> => {
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
            head = (await look(engine, chain, pace, next, held)) ? next : undefined
          }
          failures = 0
        }
      })
    } catch (error) {
      if (signal.aborted) return
      failures++
      const wait = Math.min(slowestMs, 100 * 2 ** failures) * (0.5 + Math.random() / 2)
      engine.log.warn({ err: error, chain: chain.id, waitMs: Math.round(wait) }, 'a chain cannot be watched; trying again')
      await pause(wait, signal)
    }
  }
}

/** One look at the chain: at most one range of blocks. True when it has seen up to the head. */
const look = async (engine: Engine, chain: Chain, pace: WatchPace, head: Block, signal: AbortSignal): Promise<boolean> => {
  const { sql } = engine
  const cursor = await onCanonicalChain(engine, chain, head, signal)
  if (cursor === undefined) {
    await pause(pace.pollMs, signal)
    return false
  }
  const to = Math.min(head.number, cursor.block + pace.maxRange)
  if (to > cursor.block) {
    const watched = async (addresses: readonly string[]) => new Set((await ordersByDeposit(sql, addresses)).keys())
    const { blocks, transfers } = await chain.scan(cursor.block + 1, to, signal, watched)
    if (blocks[0]?.parentHash !== cursor.hash) return false
    const owners = await ordersByDeposit(sql, [...new Set(transfers.map((one) => one.to))])
    const own = await ordersOfSends(sql, [...new Set(transfers.filter((one) => owners.has(one.to)).map((one) => one.txHash))])
    await eachOrder(engine, [...new Set(owners.values())], async (order) => {
      let current = order
      for (const transfer of transfers) {
        // What an order's own settlement converts comes back to its address: that is in the settlement's receipt, and no payment.
        if (owners.get(transfer.to) !== order.id || own.get(transfer.txHash) === order.id) continue
        const arrival = arrivalOf(engine, transfer)
        if (!arrival) continue
        const quote = await priceForArrival(engine, current, arrival.asset)
        const told = await record(engine, current, { type: 'arrived', transfer: arrival, head: head.number, quote })
        current = told?.order ?? current
      }
    })
    await advanceCursor(sql, chain.id, cursor, blocks)
  }
  await drop(engine, await transfersElsewhere(sql, chain.id))
  if (to < head.number) return false
  await eachOrder(engine, await ordersAwaitingConfirmation(sql, chain.id), (order) =>
    record(engine, order, { type: 'block', chainId: chain.id, head: head.number }),
  )
  await sweepDue(engine, chain, pace.sweepEveryBlocks, head, signal)
  return true
}

/** The cursor, after it was taken back to the last block that is still part of the chain. Undefined: the node is behind what we know. */
const onCanonicalChain = async (engine: Engine, chain: Chain, head: Block, signal: AbortSignal): Promise<BlockCursor | undefined> => {
  const { sql } = engine
  const cursor = await readBlockCursor(sql, chain.id)
  if (!cursor) {
    // The first block that is remembered is one that stays: a reorganisation must leave something to go back to.
    const first = (await chain.block(Math.max(0, head.number - chain.confirmations), signal)) ?? head
    await advanceCursor(sql, chain.id, undefined, [first])
    return readBlockCursor(sql, chain.id)
  }
  const known = await rememberedBlocks(sql, chain.id, Math.min(cursor.block, head.number))
  for (const { block, hash } of known) {
    const now = block === head.number ? head : await chain.block(block, signal)
    if (!now) return undefined
    if (now.hash !== hash) continue
    if (block === cursor.block) return cursor
    if (block === head.number && head.number < cursor.block) return undefined
    engine.log.warn({ chain: chain.id, from: cursor.block, to: block }, 'the chain was reorganised')
    // First what stood on the blocks that are gone, then the cursor: a crash between repeats both.
    await drop(engine, await transfersAbove(sql, chain.id, block))
    await rewindCursor(sql, chain.id, { number: block, hash })
    return { block, hash, sweptAt: cursor.sweptAt }
  }
  throw new Error(`chain ${chain.id} shares no block with the last ${known.length} that were seen: it is not the chain it was`)
}

const drop = async (engine: Engine, gone: ReadonlyMap<string, readonly string[]>): Promise<void> => {
  for (const [orderId, keys] of gone) await record(engine, orderId, { type: 'vanished', keys })
}

/** Read many at a time, told several at a time. */
const eachOrder = async (engine: Engine, ids: readonly string[], tell: (order: Order) => Promise<unknown>): Promise<void> => {
  for (let start = 0; start < ids.length; start += readAtOnce)
    await inParallel(8, await ordersById(engine.sql, ids.slice(start, start + readAtOnce)), tell)
}
