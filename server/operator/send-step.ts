import { broadcastCall, chainIdCall, gasCall, headerCall, nonceCall, priorityCall, receiptCall } from '../chains/evm/rpc-calls.ts'
import type { Rpc } from '../chains/evm/rpc.ts'
import { marketFees } from '../chains/evm/payouts/fees.ts'
import type { Signer } from '../chains/evm/signer.ts'
import { pause } from '../lib/pause.ts'
import type { Step } from './factory-steps.ts'

/** Signs and broadcasts a step and waits until it is mined. It throws if the transaction reverts, since the step is then still missing. */
export async function sendStep(
  rpc: Rpc,
  signer: Signer,
  { what, to, data }: Step,
  maxFeePerGas: bigint,
  signal: AbortSignal,
): Promise<{ readonly hash: string; readonly cost: bigint }> {
  const call = { from: signer.address, to, data, value: 0n }
  const [chainId, nonce, header, priority, gas] = await rpc.read(
    signal,
    chainIdCall(),
    nonceCall(signer.address, 'pending'),
    headerCall('latest'),
    priorityCall(),
    gasCall(call, 'latest'),
  )
  if (!header) throw new Error(`Chain ${chainId} has no latest block.`)
  const raw = await signer.sign(
    { chainId, nonce, to, data, value: 0n, gas: gas + gas / 5n, ...marketFees(header, priority, maxFeePerGas) },
    signal,
  )
  const [hash] = await rpc.read(signal, broadcastCall(raw))
  for (;;) {
    const [receipt] = await rpc.read(signal, receiptCall(hash))
    if (receipt?.status === 1n) return { hash, cost: receipt.gasUsed * (receipt.effectiveGasPrice ?? 0n) + (receipt.l1Fee ?? 0n) }
    if (receipt) throw new Error(`Chain ${chainId}: ${what} failed in ${hash}.`)
    await pause(500, signal)
  }
}
