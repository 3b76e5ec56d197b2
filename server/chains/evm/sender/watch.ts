import type { Header, NodeReceipt } from '../asks.ts'
import { askHeader, askNonce, askReceipt } from '../asks.ts'
import { ChainUnavailable } from '../../ChainUnavailable.ts'
import type { SendOutcome } from '../../sender.ts'
import { receiptOf } from '../receipt.ts'
import { broadcast, giveToNode } from './broadcast.ts'
import { bytesOfSlots, giveUpSlot, markConfirmed, markMined, markUnmined, openSends } from './queue.ts'
import { replace } from './replace.ts'
import type { Driver, Send } from './send.ts'
import { usedByStranger } from './usedByStranger.ts'
import { keccak256, type Hex } from 'viem'

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
        else if (send.mined) await gone(driver, send, send.mined.block, signal)
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

async function inBlock(driver: Driver, send: Send, receipt: NodeReceipt, head: Header, signal: AbortSignal): Promise<void> {
  const { sql, chain, report } = driver
  const outcome: SendOutcome = { state: 'mined', receipt: receiptOf(receipt) }
  if (send.mined?.blockHash !== receipt.blockHash) {
    await sql.begin(async (tx) => {
      if (send.mined && (await markUnmined(tx, send, send.mined.blockHash))) {
        await report(tx, send, { state: 'unmined', txHash: send.mined.txHash })
      }
      const place = { txHash: receipt.transactionHash, block: receipt.blockNumber, blockHash: receipt.blockHash }
      if (await markMined(tx, send, place)) await report(tx, send, outcome)
    })
  }
  if (head.number - receipt.blockNumber + 1 < chain.confirmations) return
  // The receipt may be from a node that has not heard of a reorganisation: the chain itself has the last word.
  const [canonical] = await chain.rpc.read(signal, askHeader(receipt.blockNumber))
  if (canonical?.hash !== receipt.blockHash) return
  await sql.begin(async (tx) => {
    if (await markConfirmed(tx, send, receipt.blockHash)) await report(tx, send, { state: 'confirmed', receipt: receiptOf(receipt) })
  })
}

/** It was in a block and now has no receipt: either the block is gone, or this node merely does not know. */
async function gone(driver: Driver, send: Send, block: number, signal: AbortSignal): Promise<void> {
  const { sql, chain, report } = driver
  const { mined } = send
  const [canonical] = await chain.rpc.read(signal, askHeader(block))
  if (!mined || canonical?.hash === mined.blockHash) return
  await sql.begin(async (tx) => {
    if (await markUnmined(tx, send, mined.blockHash)) await report(tx, send, { state: 'unmined', txHash: mined.txHash })
  })
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
    if (isSilent(driver, txHash, driver.chain.config.replaceAfterMs / 3)) await giveToNode(driver, { txHash, raw }, signal)
  }
}

/** Nodes forget: what is not mined is given again now and then, and at once by a process that never gave it. */
function isSilent({ broadcastAt }: Driver, txHash: string, forMs: number): boolean {
  return performance.now() - (broadcastAt.get(txHash) ?? -Infinity) > forMs
}
