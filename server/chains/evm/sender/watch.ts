import { keccak256, type Hex } from 'viem'
import type { Header, NodeReceipt } from '../asks.ts'
import { askHeader, askNonce, askReceipt } from '../asks.ts'
import { ChainUnavailable } from '../../ChainUnavailable.ts'
import { receiptOf } from '../receipt.ts'
import { broadcast, giveToNode } from './broadcast.ts'
import { bytesOfSlots, giveUpSlot, markAnnounced, markConfirmed, markMined, markUnmined, openSends } from './queue.ts'
import { replace } from './replace.ts'
import type { Driver, Place, Send } from './send.ts'
import { tell } from './tell.ts'
import { usedByStranger } from './usedByStranger.ts'

const receiptsPerRequest = 50

/** Looks where everything that is under way has got to, and reports what changed. One send's trouble is not another's. */
export async function watch(driver: Driver, signal: AbortSignal): Promise<void> {
  const { sql, chain, problem } = driver
  const sends = await openSends(sql, chain.id, ['signed', 'broadcast', 'mined'], 1000)
  if (sends.length === 0) return
  const operators = [...new Set(sends.flatMap((send) => send.slot?.operator ?? []))]
  const [head, ...nonces] = await chain.rpc.read(signal, askHeader('latest'), ...operators.map((operator) => askNonce(operator, 'latest')))
  if (!head) throw new ChainUnavailable(chain.id, 'chain_unavailable', 'the node has no blocks.')
  const receipts = await readReceipts(driver, sends, signal)
  for (const [i, operator] of operators.entries()) {
    const minedNonce = Number(nonces[i])
    const own = sends.filter((send) => send.slot?.operator === operator)
    await refill(driver, operator, minedNonce, own, signal)
    let first = true
    for (const send of own) {
      try {
        const receipt = send.attempts.map(({ txHash }) => receipts.get(txHash)).find((each) => each !== undefined)
        if (receipt) await inBlock(driver, send, receipt, head, signal)
        else if (send.mined) await gone(driver, send, send.mined, signal)
        else await waiting(driver, send, { first, head, minedNonce }, signal)
        if (!receipt) first = false
      } catch (error) {
        signal.throwIfAborted()
        problem(error)
      }
    }
  }
}

async function readReceipts({ chain }: Driver, sends: readonly Send[], signal: AbortSignal): Promise<Map<string, NodeReceipt>> {
  const hashes = sends.flatMap((send) => send.attempts.map(({ txHash }) => txHash))
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
    if (mined) await tell(driver, send, { state: 'unmined', txHash: mined.txHash }, (tx) => markUnmined(tx, send, mined.blockHash))
    // A crash right after the broadcast may have kept us from saying that it happened.
    await tell(driver, send, { state: 'broadcast', txHash: receipt.txHash }, (tx) => markAnnounced(tx, send, receipt.txHash))
    await tell(driver, send, { state: 'mined', receipt }, (tx) => markMined(tx, send, receipt))
  }
  if (head.number - receipt.block + 1 < chain.confirmations) return
  // The receipt may be from a node that has not heard of a reorganisation: the chain itself has the last word.
  const [canonical] = await chain.rpc.read(signal, askHeader(receipt.block))
  if (canonical?.hash !== receipt.blockHash) return
  await tell(driver, send, { state: 'confirmed', receipt }, (tx) => markConfirmed(tx, send, receipt.blockHash))
}

/** It was in a block and now has no receipt: either the block is gone, or this node merely does not know. */
async function gone(driver: Driver, send: Send, mined: Place, signal: AbortSignal): Promise<void> {
  const [canonical] = await driver.chain.rpc.read(signal, askHeader(mined.block))
  if (canonical?.hash === mined.blockHash) return
  await tell(driver, send, { state: 'unmined', txHash: mined.txHash }, (tx) => markUnmined(tx, send, mined.blockHash))
  for (const attempt of send.attempts) await giveToNode(driver, attempt, signal)
}

async function waiting(
  driver: Driver,
  send: Send,
  { first, head, minedNonce }: { first: boolean; head: Header; minedNonce: number },
  signal: AbortSignal,
): Promise<void> {
  const { chain, sql } = driver
  const { slot } = send
  const last = send.attempts.at(-1)
  if (!slot || !last) return
  if (minedNonce > slot.nonce) {
    if (await usedByStranger(chain, send, slot, head, signal)) await giveUpSlot(sql, send, slot.nonce)
    return
  }
  const { replaceAfterMs } = chain.config
  // Those behind wait for the first; making them dearer would not help.
  if (first && last.ageMs > replaceAfterMs && slot.operator === chain.signer.address) await replace(driver, send, slot, last, signal)
  else if (isSilent(driver, last.txHash, replaceAfterMs / 3)) await broadcast(driver, send, last, signal)
}

/** Numbers below our first that the chain has not seen any more (it went back): without them nothing of ours moves. */
async function refill(driver: Driver, operator: string, minedNonce: number, own: readonly Send[], signal: AbortSignal): Promise<void> {
  const lowest = Math.min(...own.flatMap((send) => send.slot?.nonce ?? []))
  if (minedNonce >= lowest) return
  for (const raw of await bytesOfSlots(driver.sql, driver.chain.id, operator, minedNonce, lowest)) {
    const txHash = keccak256(raw as Hex)
    // When it was given before the chain went back does not matter: this clock is its own.
    if (!isSilent(driver, `refill ${txHash}`, driver.chain.config.replaceAfterMs / 3)) continue
    await giveToNode(driver, { txHash, raw }, signal)
    driver.broadcastAt.set(`refill ${txHash}`, performance.now())
  }
}

/** Nodes forget: what is not mined is given again now and then, and at once by a process that never gave it. */
function isSilent({ broadcastAt }: Driver, txHash: string, forMs: number): boolean {
  return performance.now() - (broadcastAt.get(txHash) ?? -Infinity) > forMs
}
