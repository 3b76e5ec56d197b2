import { parseHash } from '../../../src/wire/addresses/codecs.ts'
import type { FindTransactionAnswer, FindTransactionRequest } from '../../../src/wire/order.ts'
import { endpoints } from '../../../src/wire/endpoints.ts'
import { sameAsset } from '../model/asset.ts'
import { isByBalance } from '../model/balance.ts'
import { findDeposit } from '../model/deposits.ts'
import { funding } from '../model/funding.ts'
import type { Order, Transfer } from '../model/order.ts'
import { transactionOf } from '../model/snapshot.ts'
import { spend } from '../../http/access.ts'
import { ApiError, notFound } from '../../http/api-error.ts'
import { limiter } from '../../http/limits.ts'
import type { Route } from '../../http/route.ts'
import { arrivalOf, recordArrivals } from '../observe.ts'
import type { Engine } from '../engine.ts'
import { pause } from '../../lib/pause.ts'
import { sweepOrder } from '../../incoming/sweep.ts'
import { orderById, orderOf } from '../order-queries.ts'

const counted = 'Found. It counts toward this order.'

/** Native coin that a contract forwards is not in the transaction's own value, so it shows only in the balance. */
async function foundByBalance(engine: Engine, order: Order): Promise<Transfer | undefined> {
  const known = new Set(order.transfers.map(({ key }) => key))
  await sweepOrder(engine, order, 'all', AbortSignal.timeout(8_000)).catch((error: unknown) =>
    engine.log.warn({ err: error, order: order.id }, 'cannot read every chain’s balance of an order; answering from what was read'),
  )
  return (await orderById(engine.sql, order.id))?.transfers.find((transfer) => isByBalance(transfer) && !known.has(transfer.key))
}

const followedWithinMs = 3_000
const intervalMs = 250

/** Waits a moment for whoever follows the chain to record a transaction that waits for a block. */
async function untilRecorded({ sql }: Engine, orderId: string, txHash: string, isWaiting: boolean) {
  for (const end = performance.now() + (isWaiting ? followedWithinMs : 0); ; await pause(intervalMs)) {
    const current = await orderById(sql, orderId)
    const recorded = current?.transfers.find((transfer) => transfer.state !== 'dropped' && transfer.txHash === txHash)
    if (recorded || performance.now() >= end) return { current, recorded }
  }
}

export type FindTransaction = (order: Order, request: FindTransactionRequest) => Promise<FindTransactionAnswer>

/** Looks a transaction up on the chains, or else compares the order's balances, and records what it finds as the watcher would. */
export function transactionFinder(engine: Engine): FindTransaction {
  const perOrder = limiter({ perSecond: 0.1, burst: 6 }, () => performance.now())

  return async (order, body) => {
    spend(perOrder, order.id)
    if (body.chain_id !== undefined && !engine.chains.has(body.chain_id)) throw new ApiError(422, 'This network is not watched here.')
    const own = funding(order).quote.source.chainId
    const chains = [...engine.chains.values()]
      .filter((chain) => body.chain_id === undefined || chain.id === body.chain_id)
      .sort((a) => (a.id === own ? -1 : 1))
    const failures: unknown[] = []
    for (const chain of chains) {
      const signal = AbortSignal.timeout(8_000)
      const hash = parseHash(chain.id, body.tx_hash)
      const deposit = findDeposit(order, chain.id)
      if (hash === undefined || deposit === undefined) continue
      // A chain that does not answer must not hide what another one knows.
      const found = await chain.feed.lookUp(hash, signal).catch((error: unknown) => {
        failures.push(error)
        return undefined
      })
      // The output of this order's own conversion also arrives at the deposit address and is not a payment.
      const isOwn = (await chain.payouts.ordersOf(engine.sql, [hash])).get(hash)?.has(order.id) === true
      const toThisOrder = isOwn ? [] : (found ?? []).filter((transfer) => transfer.to === deposit)
      if (toThisOrder.length === 0) continue
      const before = await orderById(engine.sql, order.id)
      // The watcher's record wins, because the watcher follows the chain and this request reads it only once.
      const known = new Set(before?.transfers.filter(({ state }) => state !== 'dropped').map(({ key }) => key))
      // What waits for a block is recorded only by who follows it, because it may be replaced.
      const included = toThisOrder.filter(({ at }) => at !== undefined)
      const arrivals = included.flatMap((transfer) => arrivalOf(engine, transfer) ?? []).filter(({ key }) => !known.has(key))
      if (before && arrivals.length > 0) await recordArrivals(engine, before, arrivals)
      const { current, recorded } = await untilRecorded(engine, order.id, hash, included.length === 0)
      if (!recorded || !current) continue
      const { source, sourceUsd } = funding(current).quote
      const message = sameAsset(recorded.asset, source)
        ? counted
        : 'Found. It came in another currency or on another network and is held for you.'
      return {
        found: true,
        transaction: transactionOf(current, recorded, sameAsset(recorded.asset, source) ? sourceUsd : '0'),
        message,
      }
    }
    const balance = await foundByBalance(engine, order)
    if (balance) return { found: true, transaction: transactionOf(order, balance, '0'), message: counted }
    if (failures.length > 0) throw failures[0]
    return {
      found: false,
      problem: 'transaction_unknown',
      message: 'This transaction did not pay this order, or it is not in a block yet. Check the hash and try again in a minute.',
    }
  }
}

export function transactions(route: Route, engine: Engine, find: FindTransaction): void {
  route(endpoints.findTransaction, async ({ params, body, organizationId }) => {
    const order = await orderOf(engine.sql, organizationId, params.order_id)
    if (!order) throw notFound('order')
    return { body: await find(order, body) }
  })
}
