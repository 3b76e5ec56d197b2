import { endpoints } from '../../src/wire/endpoints.ts'
import { ordersOfSends } from '../chains/evm/sender/queue.ts'
import { canonicalAddress, sameAsset } from '../domain/asset.ts'
import { funding } from '../domain/funding.ts'
import { transactionOf } from '../domain/snapshot.ts'
import { spend } from '../http/access.ts'
import { ApiError, notFound } from '../http/ApiError.ts'
import { limiter } from '../http/limits.ts'
import type { Route } from '../http/route.ts'
import { arrivalOf } from '../jobs/arrival.ts'
import type { Engine } from '../jobs/engine.ts'
import { recordIfStill } from '../jobs/record.ts'
import { priceForArrival } from '../jobs/repricing.ts'
import { orderById, orderOf } from '../store/orders.ts'

/** Looks a transaction up on its chain and believes nothing else: what it finds is recorded as if the watcher had seen it. */
export const transactions = (route: Route, engine: Engine): void => {
  const perOrder = limiter({ perSecond: 0.1, burst: 6 }, () => performance.now())

  route(endpoints.findTransaction, async ({ params, body, organizationId }) => {
    const order = await orderOf(engine.sql, organizationId, params.order_id)
    if (!order) throw notFound('order')
    spend(perOrder, order.id)
    if (body.chain_id !== undefined && !engine.chains.has(body.chain_id)) throw new ApiError(422, 'This network is not watched here.')
    const own = funding(order).quote.source.chainId
    const chains = [...engine.chains.values()]
      .filter((chain) => body.chain_id === undefined || chain.id === body.chain_id)
      .sort((a) => (a.id === own ? -1 : 1))
    for (const chain of chains) {
      const signal = AbortSignal.timeout(8_000)
      const scan = await chain.transaction(body.tx_hash.toLowerCase(), signal)
      // What its own settlement converts comes back to the address too, and is no payment.
      const isOwn = (await ordersOfSends(engine.sql, [body.tx_hash.toLowerCase()])).get(body.tx_hash.toLowerCase()) === order.id
      const ours = isOwn ? [] : (scan?.transfers.filter((transfer) => transfer.to === canonicalAddress(order.depositAddress)) ?? [])
      if (!scan || ours.length === 0) continue
      const head = await chain.head(signal)
      for (const transfer of ours) {
        const arrival = arrivalOf(engine, transfer)
        const before = await orderById(engine.sql, order.id)
        // What the watcher knows already it knows better: it follows the chain, and this looked once.
        if (!arrival || !before || before.transfers.some((one) => one.key === arrival.key && one.state !== 'dropped')) continue
        const quote = await priceForArrival(engine, before, arrival.asset)
        await recordIfStill(engine, before, { type: 'arrived', transfer: arrival, head: head.number, quote })
      }
      const current = await orderById(engine.sql, order.id)
      const found = current?.transfers.find((one) => ours.some((transfer) => transfer.txHash === one.txHash) && one.state !== 'dropped')
      if (!found || !current) continue
      const { source, sourceUsd } = funding(current).quote
      const message = sameAsset(found.asset, source)
        ? 'Found. It counts toward this order.'
        : 'Found. It came in another currency or on another network and is held for you.'
      return {
        body: {
          found: true,
          transaction: transactionOf(found, current.depositAddress, sameAsset(found.asset, source) ? sourceUsd : '0'),
          message,
        },
      }
    }
    return {
      body: {
        found: false,
        problem: 'transaction_unknown',
        message: 'This transaction did not pay this order, or it is not in a block yet. Check the hash and try again in a minute.',
      },
    }
  })
}
