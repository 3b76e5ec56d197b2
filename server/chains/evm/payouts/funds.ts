import type { Sql } from '../../../database/connect.ts'
import type { Funds } from '../../payouts.ts'
import type { EvmNode } from '../evm-node.ts'
import { balanceCall, headerCall, priorityCall } from '../rpc-calls.ts'
import { settlementGas } from './queue-metrics.ts'

/** Reads the operator's balance, and how many settlements it pays for at the present gas price. */
export async function funds(sql: Sql, { rpc, signer }: EvmNode, signal: AbortSignal): Promise<Funds> {
  const [gas, [coin, header, priority]] = await Promise.all([
    settlementGas(sql, rpc.chainId),
    rpc.read(signal, balanceCall(signer.address), headerCall('latest'), priorityCall()),
  ])
  const price = (header?.baseFeePerGas ?? 0n) + priority
  return { coin, settlements: price === 0n ? undefined : Number(coin / (price * gas)) }
}
