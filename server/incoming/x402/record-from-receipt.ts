import type { ChainId } from '../../../src/wire/chain.ts'
import { chainOf } from '../../chains/chain.ts'
import { findDeposit } from '../../orders/model/deposits.ts'
import type { Order } from '../../orders/model/order.ts'
import { arrivalOf, recordArrivals } from '../../orders/observe.ts'
import type { Engine } from '../../orders/engine.ts'
import { record } from '../../orders/record.ts'
import { orderById } from '../../orders/order-queries.ts'

/** Records a transaction's transfers at once, because a payer is waiting and the watcher records them only at its next scan. */
export async function recordFromReceipt(
  engine: Engine,
  chainId: ChainId,
  order: Order,
  txHash: string,
  acceptEarly: boolean,
  signal: AbortSignal,
): Promise<void> {
  const found = await chainOf(engine.chains.values(), chainId).feed.lookUp(txHash, signal)
  if (!found || found.length === 0) return
  const deposit = findDeposit(order, chainId)
  const arrivals = found.flatMap((transfer) => (transfer.to === deposit && arrivalOf(engine, transfer)) || [])
  const current = arrivals.length > 0 ? await orderById(engine.sql, order.id) : undefined
  if (current) await recordArrivals(engine, current, arrivals)
  if (acceptEarly) await record(engine, order.id, { type: 'accept_early', txHash })
}
