import type { Header, NodeReceipt } from '../../chains/evm/asks.ts'
import { askHeader, askNonce, askReceipt } from '../../chains/evm/asks.ts'
import { ChainUnavailable } from '../../chains/chain-unavailable.ts'
import { receiptOf } from '../../chains/evm/receipt.ts'
import { isolated } from './back-off.ts'
import { broadcast, giveToNode } from './broadcast.ts'
import { empty, emptied, signEmpty, takesOver } from './empty-transaction.ts'
import {
  giveUpSlot,
  insertAttempt,
  markAnnounced,
  markConfirmed,
  markMined,
  markUnmined,
  sendsUnderWay,
  spentSlots,
  type SpentSlot,
} from './queue.ts'
import { replace } from './replace.ts'
import { lastAttempt, type Attempt, type Driver, type Place, type Send } from './send.ts'
import { reportOutcome } from './report.ts'
import { usedByStranger } from './nonce-used-elsewhere.ts'

const receiptsPerRequest = 50

/** Looks where everything that is under way has got to, and reports what changed. One send's trouble is not another's. */
export async function watch(driver: Driver, signal: AbortSignal): Promise<void> {
  const { sql, chain, problem } = driver
  const sends = await sendsUnderWay(sql, chain.id, ['signed', 'broadcast', 'mined'], 1000)
  if (sends.length === 0) return
  const operators = [...new Set(sends.flatMap((send) => send.slot?.operator ?? []))]
  const [head, ...nonces] = await chain.rpc.read(signal, askHeader('latest'), ...operators.map((operator) => askNonce(operator, 'latest')))
  if (!head) throw new ChainUnavailable(chain.id, 'chain_unavailable', 'the node has no blocks.')
  const receipts = await readReceipts(driver, sends, signal)
  const step = isolated(driver, signal)
  for (const [i, operator] of operators.entries()) {
    const minedNonce = Number(nonces[i])
    const own = sends.filter((send) => send.slot?.operator === operator)
    try {
      await refill(driver, operator, minedNonce, own, signal)
    } catch (error) {
      signal.throwIfAborted()
      problem(error)
    }
    let first = true
    for (const send of own) {
      const found = send.attempts.flatMap((attempt) => receipts.get(attempt.txHash) ?? [])
      const receipt = found.find(({ transactionHash }) => !isEmptyOf(send, transactionHash))
      const other = found.find(({ transactionHash }) => isEmptyOf(send, transactionHash))
      await step(send, async () => {
        if (receipt) return inBlock(driver, send, receipt, head, signal)
        if (send.mined) return gone(driver, send, send.mined, signal)
        return other ? emptied(driver, send, other, head, signal) : waiting(driver, send, { first, head, minedNonce }, signal)
      })
      if (!receipt && !other) first = false
    }
  }
}

const isEmptyOf = ({ attempts }: Send, txHash: string): boolean => attempts.some((attempt) => attempt.txHash === txHash && attempt.isEmpty)

async function readReceipts({ chain }: Driver, sends: readonly Send[], signal: AbortSignal): Promise<Map<string, NodeReceipt>> {
  // The empty ones of slots that were given back are final, and nobody's any more.
  const hashes = sends.flatMap(({ attempts, slot }) =>
    attempts.filter(({ isEmpty, nonce }) => !isEmpty || nonce === slot?.nonce).map(({ txHash }) => txHash),
  )
  const found = new Map<string, NodeReceipt>()
  for (let start = 0; start < hashes.length; start += receiptsPerRequest) {
    const asked = hashes.slice(start, start + receiptsPerRequest).map(askReceipt)
    for (const receipt of await chain.rpc.read(signal, ...asked)) {
      if (receipt) found.set(receipt.transactionHash, receipt)
    }
  }
  return found
}

async function inBlock(driver: Driver, send: Send, nodeReceipt: NodeReceipt, head: Header, signal: AbortSignal): Promise<void> {
  const { chain } = driver
  const receipt = receiptOf(nodeReceipt)
  const { mined } = send
  if (mined?.blockHash !== receipt.blockHash) {
    if (mined) await reportOutcome(driver, send, { state: 'unmined', txHash: mined.txHash }, (tx) => markUnmined(tx, send, mined.blockHash))
    // A crash right after the broadcast may have kept us from saying that it happened.
    await reportOutcome(driver, send, { state: 'broadcast', txHash: receipt.txHash }, (tx) => markAnnounced(tx, send, receipt.txHash))
    await reportOutcome(driver, send, { state: 'mined', receipt }, (tx) => markMined(tx, send, receipt))
  }
  if (head.number - receipt.block + 1 < chain.confirmations) return
  // The receipt may be from a node that has not heard of a reorganisation: the chain itself has the last word.
  const [canonical] = await chain.rpc.read(signal, askHeader(receipt.block))
  if (canonical?.hash !== receipt.blockHash) return
  await reportOutcome(driver, send, { state: 'confirmed', receipt }, (tx) => markConfirmed(tx, send, receipt))
}

/** It was in a block and now has no receipt: either the block is gone, or this node merely does not know. */
async function gone(driver: Driver, send: Send, mined: Place, signal: AbortSignal): Promise<void> {
  const [canonical] = await driver.chain.rpc.read(signal, askHeader(mined.block))
  if (canonical?.hash === mined.blockHash) return
  await reportOutcome(driver, send, { state: 'unmined', txHash: mined.txHash }, (tx) => markUnmined(tx, send, mined.blockHash))
  for (const attempt of send.attempts) if (attempt.nonce === send.slot?.nonce) await giveToNode(driver, attempt, signal)
}

async function waiting(
  driver: Driver,
  send: Send,
  { first, head, minedNonce }: { first: boolean; head: Header; minedNonce: number },
  signal: AbortSignal,
): Promise<void> {
  const { chain, sql } = driver
  const { slot } = send
  const last = lastAttempt(send)
  if (!slot || !last) return
  if (minedNonce > slot.nonce) {
    if (await usedByStranger(chain, send, slot, head, signal)) await giveUpSlot(sql, send, slot.nonce)
    return
  }
  if (send.isBackingOff) return
  const { replaceAfterMs } = chain.config
  // Those behind wait for the first; making them dearer would not help.
  if (takesOver(driver, send, last)) await empty(driver, send, last, signal)
  else if (first && last.ageMs > replaceAfterMs && slot.operator === chain.signer.address) await replace(driver, send, slot, last, signal)
  else if (isSilent(driver, last.txHash, replaceAfterMs / 3)) await broadcast(driver, send, last, signal)
}

/** Nonces below our first that the chain has not seen any more (it went back): without them nothing of ours moves. */
async function refill(driver: Driver, operator: string, minedNonce: number, own: readonly Send[], signal: AbortSignal): Promise<void> {
  const { sql, chain } = driver
  const lowest = Math.min(...own.flatMap((send) => send.slot?.nonce ?? []))
  if (minedNonce >= lowest) return
  for (const slot of await spentSlots(sql, chain.id, operator, minedNonce, lowest)) {
    const bytes = slot.isSafe ? slot : await fill(driver, operator, slot, signal)
    // When it was given before the chain went back does not matter: this clock is its own.
    if (!bytes || !isSilent(driver, `refill ${bytes.txHash}`, chain.config.replaceAfterMs / 3)) continue
    const refusal = await giveToNode(driver, bytes, signal)
    if (refusal !== undefined) driver.problem(new Error(`The node refuses ${bytes.txHash}, which the chain has lost: ${refusal}.`))
    driver.broadcastAt.set(`refill ${bytes.txHash}`, performance.now())
  }
}

/** A stranger's transaction had this nonce, and our bytes for it are of a send that has another by now: they must never go out again. */
async function fill(driver: Driver, operator: string, slot: SpentSlot, signal: AbortSignal): Promise<Attempt | undefined> {
  const { sql, chain } = driver
  if (operator !== chain.signer.address) return undefined
  const attempt = await signEmpty(driver, slot.nonce, slot, signal)
  await insertAttempt(sql, { id: slot.sendId, chainId: chain.id }, { operator }, attempt)
  return attempt
}

/** Nodes forget: what is not mined is given again now and then, and at once by a process that never gave it. */
function isSilent({ broadcastAt }: Driver, txHash: string, forMs: number): boolean {
  return performance.now() - (broadcastAt.get(txHash) ?? -Infinity) > forMs
}
