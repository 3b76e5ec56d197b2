import type { Chain } from '../chains/chain.ts'
import type { MovesObserver, SeenMove } from '../chains/moves.ts'
import { withLease } from '../database/lease.ts'
import { backoffMs, pause } from '../lib/pause.ts'
import type { Engine } from '../orders/engine.ts'
import { ordersByDeposit } from '../orders/order-queries.ts'
import { assetOf, tokenOf } from '../orders/quoting.ts'
import { record } from '../orders/record.ts'

/** The holder of the lease follows what others move from deposit addresses, on chains where they can. */
export async function watchMoves(engine: Engine, chain: Chain, signal: AbortSignal): Promise<void> {
  const { moves } = chain
  if (!moves) return
  const { sql, log } = engine
  let failures = 0
  while (!signal.aborted) {
    try {
      await withLease(sql, `till:moves:${chain.id}`, { retryMs: 500, signal }, async (held) => {
        const follow = moves.follower({ sql, log, observer: movesObserver(engine, chain) })
        while (!held.aborted) {
          await follow(held)
          failures = 0
        }
      })
    } catch (error) {
      if (signal.aborted) return
      failures++
      log.warn({ err: error, chain: chain.id }, 'cannot read what others have moved; retrying')
      await pause(backoffMs(failures, { firstMs: 500, longestMs: 30_000 }), signal)
    }
  }
}

export function movesObserver(engine: Engine, chain: Chain): MovesObserver {
  const { sql, log } = engine
  return {
    async found(moves) {
      const [owners, own] = await Promise.all([
        ordersByDeposit(sql, [...new Set(moves.map(({ from }) => from))]),
        chain.payouts.ordersOf(sql, [...new Set(moves.map(({ txHash }) => txHash))]),
      ])
      const foreign = new Set<string>()
      for (const move of moves) {
        const orderId = owners.get(move.from)
        if (orderId === undefined || own.get(move.txHash)?.has(orderId)) continue
        if (await recordMove(engine, chain, orderId, move)) foreign.add(move.id)
      }
      return foreign
    },
    async lost({ id, from }) {
      const orderId = (await ordersByDeposit(sql, [from])).get(from)
      if (orderId === undefined) return
      log.warn({ chain: chain.id, order: orderId }, 'a reorganisation has undone what somebody else had moved for an order')
      await record(engine, orderId, { type: 'lost', id })
    },
  }
}

/** Returns whether the order has it now. One order that cannot record a move does not keep the others from theirs. */
async function recordMove(engine: Engine, chain: Chain, orderId: string, move: SeenMove): Promise<boolean> {
  const { id, txHash, height, token } = move
  const known = tokenOf(engine, { chainId: chain.id, address: token })
  const legs = move.legs.flatMap(({ role, ...leg }) => (role === 'refund' ? [] : [{ role, ...leg }]))
  if (!known || legs.length < move.legs.length) {
    engine.log.error(
      { chain: chain.id, order: orderId, tx: txHash },
      known
        ? 'a refund that this service has not sent has left a deposit address: its operator and its guard have signed elsewhere; needs attention'
        : 'a token that is not configured has left a deposit address',
    )
    if (!known || legs.length === 0) return false
  }
  engine.log.warn({ chain: chain.id, order: orderId, tx: txHash }, 'somebody else has moved the money of an order to where its terms say')
  try {
    await record(engine, orderId, { type: 'found', id, asset: assetOf(known), legs, txHash, block: height })
    return true
  } catch (error) {
    engine.log.error(
      { err: error, order: orderId, chain: chain.id },
      'an order cannot record what somebody else has moved; needs attention',
    )
    return false
  }
}
