import type { Header, NodeReceipt } from '../../chains/evm/asks.ts'
import { askGas, askHeader, askPriority } from '../../chains/evm/asks.ts'
import { ChainUnavailable } from '../../chains/chain-unavailable.ts'
import { requireValue } from '../../chains/evm/rpc.ts'
import { backOffMs } from './back-off.ts'
import { broadcast, isInsufficientFunds } from './broadcast.ts'
import { marketFees, replacementFees, type Fees } from './fees.ts'
import { insertAttempt, markEmptied, markRefused } from './queue.ts'
import { type Attempt, type Driver, type Send, sign, reportOutcome } from './send.ts'

/**
 * A nonce whose bytes no node accepts blocks every nonce behind it.
 *
 * 1. After several rejections the bytes are followed by an empty transaction with the same nonce. It is stored first, like every
 *    transaction.
 * 2. The rejected bytes exist and some node may still mine them. So the send's outcome is open until one transaction of this nonce is
 *    final: either its own, and it is done; or the empty one, and its own can never be mined. Only then may it be sent again.
 * 3. It is sent again once, with new bytes; if those are rejected too, it is refused for good. A lack of coin is nobody's fault and is
 *    never counted.
 */
const maxRefusals = 3
const maxSlots = 2
const transferGas = 21_000n

/** Only the account that owns the nonce can sign for it. */
export const takesOver = ({ chain }: Driver, { slot, refusals }: Send, last: Attempt): boolean =>
  !last.isEmpty && refusals >= maxRefusals && slot?.operator === chain.signer.address

export async function empty(driver: Driver, send: Send, last: Attempt, signal: AbortSignal): Promise<void> {
  const attempt = await signEmpty(driver, last.nonce, last, signal)
  await insertAttempt(driver.sql, send, { operator: driver.chain.signer.address }, attempt)
  await broadcast(driver, send, attempt, signal)
}

/** Pays more than the bytes before it, since a node may have those after all. */
export async function signEmpty(driver: Driver, nonce: number, before: Fees, signal: AbortSignal): Promise<Attempt> {
  const { chain } = driver
  const { address } = chain.signer
  const call = { to: address, data: '0x', value: 0n }
  const [estimate, header, priority] = await chain.rpc.attempt(
    signal,
    askGas({ from: address, ...call }, 'latest'),
    askHeader('latest'),
    askPriority(),
  )
  const head = requireValue(chain.id, header)
  if (!head) throw new ChainUnavailable(chain.id, 'chain_unavailable', 'the node has no blocks.')
  const market = marketFees(head, requireValue(chain.id, priority))
  // Nodes give no estimate to an operator without coin; a transfer's gas is right wherever gas is counted as on Ethereum.
  const needed = 'value' in estimate ? estimate.value : transferGas
  const gas = needed > transferGas ? (needed * 5n) / 4n : transferGas
  const attempt = await sign(driver, { call }, { nonce }, { gas, fees: replacementFees(before, market) ?? market }, signal)
  return { ...attempt, isEmpty: true }
}

/** The empty transaction was mined. Once it is final the send gives its nonce back, and can no longer be mined at it. */
export async function emptied(driver: Driver, send: Send, receipt: NodeReceipt, head: Header, signal: AbortSignal): Promise<void> {
  const { chain, sql } = driver
  if (head.number - receipt.blockNumber + 1 < chain.confirmations) return
  const [canonical] = await chain.rpc.read(signal, askHeader(receipt.blockNumber))
  if (canonical?.hash !== receipt.blockHash) return
  const isCounted = !isInsufficientFunds(send.lastProblem)
  const mark = { isCounted, ms: backOffMs(driver, send) }
  if (!isCounted || send.slotsEmptied + 1 < maxSlots) {
    await markEmptied(sql, send, receipt.transactionHash, mark)
    return
  }
  const reason = send.lastProblem ?? 'No node accepts the transaction.'
  await reportOutcome(driver, send, { state: 'refused', reason, cause: 'bytes' }, async (tx) =>
    (await markEmptied(tx, send, receipt.transactionHash, mark)) ? markRefused(tx, send, reason) : false,
  )
}
