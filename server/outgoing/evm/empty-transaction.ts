import type { Header, NodeReceipt } from '../../chains/evm/asks.ts'
import { askGas, askHeader, askPriority } from '../../chains/evm/asks.ts'
import { ChainUnavailable } from '../../chains/chain-unavailable.ts'
import { insist } from '../../chains/evm/rpc.ts'
import { backOffMs } from './back-off.ts'
import { broadcast, isPoor } from './broadcast.ts'
import { marketFees, replacementFees, type Fees } from './fees.ts'
import { insertAttempt, markEmptied, markRefused } from './queue.ts'
import type { Attempt, Driver, Send } from './send.ts'
import { sign } from './sign.ts'
import { reportOutcome } from './report.ts'

/**
 * A nonce whose bytes no node takes holds up every nonce behind it.
 *
 * 1. Bytes that were refused several times are followed by an empty transaction with the same nonce. It is written down first, as every
 *    transaction is.
 * 2. The refused bytes exist and some node may mine them yet. So nothing is known of the send until one transaction of this nonce is final:
 *    its own, and it is done; the empty one, and its own can never be mined any more. Only then may it be sent again.
 * 3. It is sent again once, with new bytes; refused again, it is refused for good. A lack of coin is nobody's fault and never counts.
 */
const mostRefusals = 3
const mostSlots = 2
const transferGas = 21_000n

/** Only the account whose nonce it is can sign for it. */
export const takesOver = ({ chain }: Driver, { slot, refusals }: Send, last: Attempt): boolean =>
  !last.isEmpty && refusals >= mostRefusals && slot?.operator === chain.signer.address

export async function empty(driver: Driver, send: Send, last: Attempt, signal: AbortSignal): Promise<void> {
  const attempt = await signEmpty(driver, last.nonce, last, signal)
  await insertAttempt(driver.sql, send, { operator: driver.chain.signer.address }, attempt)
  await broadcast(driver, send, attempt, signal)
}

/** Dearer than the bytes before it, since a node may have them after all. */
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
  const head = insist(chain.id, header)
  if (!head) throw new ChainUnavailable(chain.id, 'chain_unavailable', 'the node has no blocks.')
  const market = marketFees(head, insist(chain.id, priority))
  // An operator without coin gets no estimate; a transfer's gas is right wherever gas is counted as on Ethereum.
  const needed = 'value' in estimate ? estimate.value : transferGas
  const gas = needed > transferGas ? (needed * 5n) / 4n : transferGas
  const attempt = await sign(driver, { call }, { nonce }, { gas, fees: replacementFees(before, market) ?? market }, signal)
  return { ...attempt, isEmpty: true }
}

/** The empty transaction is in a block: once that is final the send has no slot any more, and can't be mined in the old one. */
export async function emptied(driver: Driver, send: Send, receipt: NodeReceipt, head: Header, signal: AbortSignal): Promise<void> {
  const { chain, sql } = driver
  if (head.number - receipt.blockNumber + 1 < chain.confirmations) return
  const [canonical] = await chain.rpc.read(signal, askHeader(receipt.blockNumber))
  if (canonical?.hash !== receipt.blockHash) return
  const isCounted = !isPoor(send.problem)
  const mark = { isCounted, ms: backOffMs(driver, send) }
  if (!isCounted || send.slotsEmptied + 1 < mostSlots) {
    await markEmptied(sql, send, receipt.transactionHash, mark)
    return
  }
  const reason = send.problem ?? 'No node takes the transaction.'
  await reportOutcome(driver, send, { state: 'refused', reason, cause: 'bytes' }, async (tx) =>
    (await markEmptied(tx, send, receipt.transactionHash, mark)) ? markRefused(tx, send, reason) : false,
  )
}
