import { createHash } from 'node:crypto'
import type { Preparation, PreparationStatus } from '../../x402.ts'
import type { Call } from '../call.ts'
import type { EvmNode } from '../evm-node.ts'
import type { EvmPayouts } from '../payouts/evm-payouts.ts'
import { sendIdsOf, sendStatus } from '../payouts/queue.ts'
import { receiptCall } from '../rpc-calls.ts'
import { transactionFailed } from './transaction-failed.ts'

/** Each deployment costs the operator gas, so at most this many are sent for one order, whoever asks. */
const maxWallets = 3

/** Deploys a payer's contract wallet (ERC-6492). Once it is deployed, the same signature is an ordinary contract signature. */
export function walletDeployment(
  chain: EvmNode,
  payouts: Pick<EvmPayouts, 'enqueueCall'>,
  orderId: string,
  call: Call & { readonly gasCap: bigint },
): Preparation {
  const id = `x402_wallet:${createHash('sha256').update(`${orderId} ${chain.id} ${call.to} ${call.data}`).digest('hex')}`
  return {
    id,
    enqueue: async (tx, request) => {
      const deployments = await sendIdsOf(tx, orderId, request.purpose.kind)
      if (deployments.includes(id)) return true
      if (deployments.length >= maxWallets) return false
      await payouts.enqueueCall(tx, { ...request, id, ...call })
      return true
    },
    status: async (sql, signal): Promise<PreparationStatus> => {
      const status = await sendStatus(sql, id)
      if (status?.state === 'refused') return { at: 'failed', reason: transactionFailed }
      if (status?.minedHash === undefined) return { at: 'pending' }
      const [receipt] = await chain.rpc.read(signal, receiptCall(status.minedHash))
      if (!receipt) return { at: 'pending' }
      return receipt.status === 1n ? { at: 'ready' } : { at: 'failed', reason: 'smart_wallet_deployment_failed' }
    },
  }
}
