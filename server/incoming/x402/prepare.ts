import type { Preparation } from '../../chains/x402.ts'
import { transaction } from '../../database/transaction.ts'
import type { Engine } from '../../orders/engine.ts'
import { sendPriority } from '../../orders/model/created-by.ts'
import type { Order } from '../../orders/model/order.ts'
import { lockOrder } from '../../orders/order-queries.ts'
import type { Outcomes } from './outcomes.ts'

const timeoutMs = 10_000

/** Puts on the chain what a payment needs there first, such as the payer's contract wallet. Returns the reason if it is not there in time. */
export async function prepare(
  { sql }: Pick<Engine, 'sql'>,
  outcomes: Outcomes,
  { id: orderId, organizationId: tenant, terms }: Order,
  { id, enqueue, status }: Preparation,
  { transactionFailed, deadline }: { readonly transactionFailed: string; readonly deadline: number },
): Promise<string | undefined> {
  const isEnqueued = await transaction(sql, async (tx) => {
    await lockOrder(tx, orderId)
    return enqueue(tx, { tenant, priority: sendPriority(terms), purpose: { kind: 'x402_wallet', orderId, ref: id } })
  })
  if (!isEnqueued) return transactionFailed
  const read = () => status(sql, AbortSignal.timeout(timeoutMs))
  const reached = await outcomes.until(id, read, ({ at }) => at !== 'pending', deadline)
  switch (reached.at) {
    case 'ready':
      return undefined
    case 'pending':
      return transactionFailed
    case 'failed':
      return reached.reason
    default:
      return reached satisfies never
  }
}
