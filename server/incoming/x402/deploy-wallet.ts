import { createHash } from 'node:crypto'
import type { Call } from '../../chains/chain.ts'
import { receiptCall } from '../../chains/evm/rpc-calls.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { transaction } from '../../database/transaction.ts'
import type { Engine } from '../../orders/engine.ts'
import { sendPriority } from '../../orders/model/created-by.ts'
import type { Order } from '../../orders/model/order.ts'
import { lockOrder } from '../../orders/order-queries.ts'
import { sendIdsOf, sendStatus } from '../../outgoing/evm/queue.ts'
import type { Outcomes } from './outcomes.ts'

/** Each deployment costs the operator gas, so at most this many are sent for one order, whoever asks. */
const maxWallets = 3

export type Deployment =
  | 'deployed'
  | 'reverted'
  /** The sending queue refused the call, or the order has used up `maxWallets`. */
  | 'refused'
  /** The outcome was still unknown at the deadline. */
  | 'pending'

/**
 * Deploys a payer's contract wallet (ERC-6492). The outcome need not be stored: once the wallet is deployed, the same signature is an
 * ordinary contract signature. The send's id is derived from the call, so a repeated request enqueues no second one.
 */
export async function deployWallet(
  { sql, sender }: Pick<Engine, 'sql' | 'sender'>,
  outcomes: Outcomes,
  { id: orderId, terms }: Order,
  chain: EvmChain,
  call: Call & { readonly gasCap: bigint },
  deadline: number,
): Promise<Deployment> {
  const id = `x402_wallet:${createHash('sha256').update(`${orderId} ${chain.id} ${call.to} ${call.data}`).digest('hex')}`
  const isEnqueued = await transaction(sql, async (tx) => {
    await lockOrder(tx, orderId)
    const deployments = await sendIdsOf(tx, orderId, 'x402_wallet')
    if (deployments.includes(id)) return true
    if (deployments.length >= maxWallets) return false
    const purpose = { kind: 'x402_wallet', orderId, ref: id }
    await sender.enqueue(tx, { id, chainId: chain.id, ...call, priority: sendPriority(terms), purpose })
    return true
  })
  if (!isEnqueued) return 'refused'
  const read = async (): Promise<Deployment> => {
    const status = await sendStatus(sql, id)
    if (status?.state === 'refused') return 'refused'
    if (status?.minedHash === undefined) return 'pending'
    const [receipt] = await chain.rpc.read(AbortSignal.timeout(10_000), receiptCall(status.minedHash))
    if (!receipt) return 'pending'
    return receipt.status === 1n ? 'deployed' : 'reverted'
  }
  return outcomes.until(id, read, (deployment) => deployment !== 'pending', deadline)
}
