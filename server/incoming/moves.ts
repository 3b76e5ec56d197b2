import type { Chain } from '../chains/chain.ts'
import type { MovesObserver, SeenMove } from '../chains/moves.ts'
import type { Tx } from '../database/connect.ts'
import { withLease } from '../database/lease.ts'
import { backoffMs, pause } from '../lib/pause.ts'
import type { Engine } from '../orders/engine.ts'
import { sameAsset } from '../orders/model/asset.ts'
import { orderById, ordersByDeposit } from '../orders/order-queries.ts'
import { assetOf, tokenOf } from '../orders/quoting.ts'
import { record } from '../orders/record.ts'
import type { OnSecondNode } from '../outgoing/settle.ts'

/** The holder of the lease follows what others move from deposit addresses, on chains where they can. */
export async function watchMoves(engine: Engine, chain: Chain, onSecondNode: OnSecondNode, signal: AbortSignal): Promise<void> {
  const { moves } = chain
  if (!moves) return
  const { sql, log } = engine
  const observer = movesObserver(engine, chain)
  // The follower outlives errors, since it knows for how long a second node has not answered.
  const follow = moves.follower({ sql, log, observer, onSecondNode: (...answer) => onSecondNode(chain, ...answer) })
  let failures = 0
  while (!signal.aborted) {
    try {
      await withLease(sql, `till:moves:${chain.id}`, { retryMs: 500, signal }, async (held) => {
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

/** A transaction of ours may contain moves of others, and theirs may contain what the guard has signed for us. */
export function movesObserver(engine: Engine, chain: Chain): MovesObserver {
  const orderAt = async (tx: Tx, address: string) => (await ordersByDeposit(tx, [address])).get(address)
  return {
    ours: async (addresses) => new Set((await ordersByDeposit(engine.sql, addresses)).keys()),
    async found(tx, move) {
      const orderId = await orderAt(tx, move.from)
      if (orderId !== undefined) await recordMove({ engine, chain, tx, orderId }, move)
    },
    async lost(tx, { id, from }) {
      const orderId = await orderAt(tx, from)
      if (orderId === undefined) return
      engine.log.warn({ chain: chain.id, order: orderId }, 'a reorganisation has undone what somebody else had moved for an order')
      await record(engine, orderId, { type: 'lost', id }, tx)
    },
  }
}

interface Place {
  readonly engine: Engine
  readonly chain: Chain
  readonly tx: Tx
  readonly orderId: string
}

async function recordMove({ engine, chain, tx, orderId }: Place, move: SeenMove): Promise<void> {
  const { id, txHash, height: block } = move
  const details = { chain: chain.id, order: orderId, tx: txHash }
  const assetAt = (address: string | null) => {
    const token = tokenOf(engine, { chainId: chain.id, address })
    return token && assetOf(token)
  }
  const unknown = [move.token, ...(move.kind === 'payment' && move.conversion ? [move.conversion.tokenIn] : [])].filter(
    (token) => !assetAt(token),
  )
  if (unknown.length > 0) await refuseNamedTokens(tx, orderId, chain, unknown)
  const asset = assetAt(move.token)
  if (!asset) return engine.log.error(details, 'a token that is not configured has left a deposit address')
  const found = { id, asset, txHash, block }
  if (move.kind === 'refund') {
    const recorded = await record(engine, orderId, { type: 'found_refund', ...found, legs: move.legs }, tx)
    const isPlanned = !recorded?.ok || recorded.facts.every(({ type }) => type !== 'refund_found')
    if (isPlanned) return engine.log.warn(details, 'somebody else has sent a refund of an order for which the guard had signed')
    return engine.log.error(
      details,
      'a refund that this service has not planned has left a deposit address: its operator and its guard have signed elsewhere; needs attention',
    )
  }
  const { legs, conversion } = move
  const source = conversion && assetAt(conversion.tokenIn)
  if (conversion && !source) engine.log.error(details, 'a token that is not configured was converted at a deposit address')
  const swap = conversion && source && { source, amountIn: conversion.amountIn, swapped: conversion.amountOut }
  if (legs.length === 0 && !swap) return
  engine.log.warn(details, 'somebody else has moved the money of an order to where its terms say')
  await record(engine, orderId, { type: 'found', ...found, legs, ...(swap && { swap }) }, tx)
}

/** A token that the order itself names was configured when it was made. So the move is retried until it is again, and is not lost to the books. */
async function refuseNamedTokens(tx: Tx, orderId: string, { id: chainId }: Chain, tokens: readonly (string | null)[]): Promise<void> {
  const order = await orderById(tx, orderId)
  if (!order) return
  const { depositTerms, quotes } = order
  const named = [
    ...(depositTerms?.settlements ?? []).map(({ chain_id, token }) => ({ chainId: chain_id, address: token })),
    ...quotes.flatMap(({ source, asset }) => [source, asset]),
  ]
  const token = tokens.find((address) => named.some((other) => sameAsset(other, { chainId, address })))
  if (token !== undefined)
    throw new Error(`token ${token ?? 'native coin'} of order ${orderId} is not configured any more on chain ${chainId}`)
}
