import { gasCall, headerCall, priorityCall, type NodeReceipt, requireHead } from '../rpc-calls.ts'
import { requireValue } from '../rpc.ts'
import { transaction } from '../../../database/transaction.ts'
import { backOffMs } from './back-off.ts'
import { dissolve } from './batch-queue.ts'
import { broadcast, isInsufficientFunds } from './broadcast.ts'
import { marketFees, replacementFees, type Fees } from './fees.ts'
import { insertAttempt } from './queue.ts'
import { markEmptied, markFinal, markRefused } from './send-states.ts'
import { type Attempt, type Driver, isBatch, type Send, sign, spentInBatch, reportOutcome } from './send.ts'

/**
 * A nonce whose bytes no node accepts blocks every later nonce, so after `maxRefusals` rejections an empty transaction takes it.
 * Some node may still mine the rejected bytes. So the send's outcome is open until one transaction with this nonce is final. If it is the
 * empty one, the send is signed again, once, at another nonce, and refused for good if nodes reject those bytes too. Rejections because the
 * operator has no coin do not count.
 */
const maxRefusals = 3
const maxSlots = 2
const transferGas = 21_000n

/** The present operator key can replace only bytes of its own account, so a slot of another operator is left alone. */
export const mustEmpty = ({ chain }: Driver, { slot, refusals }: Send, last: Attempt): boolean =>
  !last.isEmpty && refusals >= maxRefusals && slot?.operator === chain.signer.address

export async function sendEmpty(driver: Driver, send: Send, last: Attempt, signal: AbortSignal): Promise<void> {
  const attempt = await signEmpty(driver, last.nonce, last, signal)
  await insertAttempt(driver.sql, send, { operator: driver.chain.signer.address }, attempt)
  await broadcast(driver, send, attempt, signal)
}

/** A node that has the replaced bytes accepts nothing cheaper, so the fees exceed theirs, unless those are far above the market. */
export async function signEmpty(driver: Driver, nonce: number, before: Fees, signal: AbortSignal): Promise<Attempt> {
  const { chain } = driver
  const { address } = chain.signer
  const call = { to: address, data: '0x', value: 0n }
  const [estimate, header, priority] = await chain.rpc.attempt(
    signal,
    gasCall({ from: address, ...call }, 'latest'),
    headerCall('latest'),
    priorityCall(),
  )
  const head = requireHead(chain.id, requireValue(chain.id, header))
  const { maxFeePerGas: most } = chain.config
  const market = marketFees(head, requireValue(chain.id, priority), most)
  // Nodes estimate no gas for an operator without coin. A plain transfer's gas is then right on chains that count gas as Ethereum does.
  const needed = 'value' in estimate ? estimate.value : transferGas
  const gas = needed > transferGas ? (needed * 5n) / 4n : transferGas
  const attempt = await sign(driver, { call }, { nonce }, { gas, fees: replacementFees(before, market, most) ?? market }, signal)
  return { ...attempt, isEmpty: true }
}

/** Called once the mined empty transaction is final: the send's own bytes can never be mined, so the send gives its nonce back. */
export async function finishEmptied(driver: Driver, send: Send, receipt: NodeReceipt, signal: AbortSignal): Promise<void> {
  const { chain, sql } = driver
  const [canonical] = await chain.rpc.read(signal, headerCall(receipt.blockNumber))
  if (canonical?.hash !== receipt.blockHash) return
  if (isBatch(send)) {
    await transaction(sql, async (tx) => {
      if (await dissolve(tx, send, send.lastProblem ?? 'No node accepts the transaction.')) await markFinal(tx, receipt.transactionHash)
    })
    driver.wake()
    return
  }
  const isCounted = !isInsufficientFunds(send.lastProblem)
  const mark = { isCounted, ms: backOffMs(driver, send) }
  if (!isCounted || send.slotsEmptied + 1 < maxSlots) {
    await markEmptied(sql, send, receipt.transactionHash, mark)
    return
  }
  const reason = send.lastProblem ?? 'No node accepts the transaction.'
  await reportOutcome(driver, send, { state: 'failed', reason, cause: 'bytes', ...spentInBatch(send) }, async (tx) =>
    (await markEmptied(tx, send, receipt.transactionHash, mark)) ? markRefused(tx, send, reason) : false,
  )
}
