import { headerCall, priorityCall, requireHead } from '../rpc-calls.ts'
import { broadcast } from './broadcast.ts'
import { sendEmpty } from './empty-transaction.ts'
import { marketFees, replacementFees } from './fees.ts'
import { insertAttempt } from './queue.ts'
import { type Attempt, type Driver, type Send, type Slot, sign } from './send.ts'

/** Signs the same call at the same nonce with higher fees. The earlier attempts stay stored, since any of them may still be mined. */
export async function replace(driver: Driver, send: Send, slot: Slot, last: Attempt, signal: AbortSignal): Promise<void> {
  const { chain, sql } = driver
  const [header, priority] = await chain.rpc.read(signal, headerCall('latest'), priorityCall())
  const { maxFeePerGas: most } = chain.config
  const fees = replacementFees(last, marketFees(requireHead(chain.id, header), priority, most), most)
  if (!fees) return broadcast(driver, send, last, signal)
  if (last.isEmpty) return sendEmpty(driver, send, last, signal)
  const attempt = await sign(driver, send, slot, { gas: last.gas, fees }, signal)
  await insertAttempt(sql, send, slot, attempt)
  await broadcast(driver, send, attempt, signal)
}
