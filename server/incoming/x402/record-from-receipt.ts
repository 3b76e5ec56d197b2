import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { headerCall, receiptCall } from '../../chains/evm/rpc-calls.ts'
import { blockOf } from '../../chains/evm/blocks.ts'
import { tokenTransfer } from '../../chains/evm/transfers.ts'
import { canonicalAddress } from '../../orders/model/asset.ts'
import type { Order } from '../../orders/model/order.ts'
import { arrivalOf, recordArrivals } from '../../orders/observe.ts'
import type { Engine } from '../../orders/engine.ts'
import { record } from '../../orders/record.ts'
import { orderById } from '../../orders/order-queries.ts'

/** Records a transaction's transfers at once, because a payer is waiting and the watcher records them only at its next scan. */
export async function recordFromReceipt(
  engine: Engine,
  chain: EvmChain,
  order: Order,
  txHash: string,
  acceptEarly: boolean,
  signal: AbortSignal,
): Promise<void> {
  const [receipt, head] = await chain.rpc.read(signal, receiptCall(txHash), headerCall('latest'))
  if (!receipt || !head || receipt.status !== 1n) return
  const [header] = await chain.rpc.read(signal, headerCall(receipt.blockNumber))
  // The receipt's block was reorganised away, so only the watcher can record the outcome.
  if (header?.hash !== receipt.blockHash) return
  const arrivals = receipt.logs.flatMap((log) => {
    const transfer = tokenTransfer(chain.id, log, blockOf(header))
    return (transfer?.to === canonicalAddress(order.depositAddress) && arrivalOf(engine, transfer)) || []
  })
  const current = arrivals.length > 0 ? await orderById(engine.sql, order.id) : undefined
  if (current) await recordArrivals(engine, current, arrivals, head.number)
  if (acceptEarly) await record(engine, order.id, { type: 'accept_early', txHash })
}
