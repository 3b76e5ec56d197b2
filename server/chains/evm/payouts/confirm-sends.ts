import { headerCall, nonceCall, receiptCall, receiptOf, requireHead, type Header, type NodeReceipt } from '../rpc-calls.ts'
import { finalBlock } from '../../blocks/final-block.ts'
import type { PayoutOutcome } from '../../payouts.ts'
import type { Receipt } from '../receipt.ts'
import { payoutResult } from '../factory-events.ts'
import { isolated } from './back-off.ts'
import { reportBatchMined, reportBatchUnmined } from './batch-reports.ts'
import { broadcast, broadcastBytes } from './broadcast.ts'
import { sendEmpty, finishEmptied, signEmpty, mustEmpty } from './empty-transaction.ts'
import { insertAttempt, sendsWithNonce, spentSlots, type SpentSlot } from './queue.ts'
import { giveUpSlot, markReported, markConfirmed, markMined, markUnmined } from './send-states.ts'
import { replace } from './replace.ts'
import { isBatch, lastAttempt, reportOutcome, type Attempt, type Driver, type Inclusion, type Send } from './send.ts'
import { nonceUsedElsewhere } from './nonce-used-elsewhere.ts'
import { isUsedByOthers } from './used-by-others.ts'

const receiptsPerRequest = 50

/** Compares the open sends that have a nonce with the chain and reports changes. One faulty send does not stop the others. */
export async function confirmSends(driver: Driver, signal: AbortSignal): Promise<void> {
  const { sql, chain, onProblem } = driver
  const sends = await sendsWithNonce(sql, chain.id, ['signed', 'broadcast', 'mined'], 1000)
  if (sends.length === 0) return
  const operators = [...new Set(sends.flatMap((send) => send.slot?.operator ?? []))]
  const nonceCalls = operators.map((operator) => nonceCall(operator, 'latest'))
  const [header, ...nonces] = await chain.rpc.read(signal, headerCall('latest'), ...nonceCalls)
  const head = requireHead(chain.id, header)
  const receipts = await readReceipts(driver, sends, signal)
  const step = isolated(driver, signal)
  const isAgreed = await agreedFinal(driver, [...receipts.values()], head, signal)
  for (const [i, operator] of operators.entries()) {
    const minedNonce = Number(nonces[i])
    const own = sends.filter((send) => send.slot?.operator === operator)
    try {
      await rebroadcastLostNonces(driver, operator, minedNonce, own, signal)
    } catch (error) {
      signal.throwIfAborted()
      onProblem(error)
    }
    let isLowest = true
    for (const send of own) {
      const found = send.attempts.flatMap((attempt) => receipts.get(attempt.txHash) ?? [])
      const receipt = found.find(({ transactionHash }) => !isEmptyOf(send, transactionHash))
      const emptyReceipt = found.find(({ transactionHash }) => isEmptyOf(send, transactionHash))
      await step(send, async () => {
        if (receipt) return recordMined(driver, send, receipt, isAgreed, signal)
        if (send.mined) return recordUnmined(driver, send, send.mined, signal)
        if (emptyReceipt) return isAgreed(emptyReceipt) ? finishEmptied(driver, send, emptyReceipt, signal) : undefined
        return advanceUnmined(driver, send, { isLowest, head, minedNonce }, signal)
      })
      if (!receipt && !emptyReceipt) isLowest = false
    }
  }
}

/** Returns which receipts are final: they are old enough and, on a chain with several nodes, two of them agree. All are asked about at once. */
async function agreedFinal(
  { chain, agreed }: Driver,
  receipts: readonly NodeReceipt[],
  head: Header,
  signal: AbortSignal,
): Promise<(receipt: NodeReceipt) => boolean> {
  const final = receipts.filter(({ blockNumber }) => blockNumber <= finalBlock(chain, head.number))
  const isKnown = agreed ? await agreed(final.map(receiptOf), signal) : new Set(final.map(({ transactionHash }) => transactionHash))
  return ({ transactionHash }) => isKnown.has(transactionHash)
}

const isEmptyOf = ({ attempts }: Send, txHash: string): boolean => attempts.some((attempt) => attempt.txHash === txHash && attempt.isEmpty)

async function readReceipts({ chain }: Driver, sends: readonly Send[], signal: AbortSignal): Promise<Map<string, NodeReceipt>> {
  // Empty transactions at earlier nonces are not read: a send changes its nonce only after a transaction with the old one is final.
  const hashes = sends.flatMap(({ attempts, slot }) =>
    attempts.filter(({ isEmpty, nonce }) => !isEmpty || nonce === slot?.nonce).map(({ txHash }) => txHash),
  )
  const found = new Map<string, NodeReceipt>()
  for (let start = 0; start < hashes.length; start += receiptsPerRequest) {
    const calls = hashes.slice(start, start + receiptsPerRequest).map(receiptCall)
    for (const receipt of await chain.rpc.read(signal, ...calls)) {
      if (receipt) found.set(receipt.transactionHash, receipt)
    }
  }
  return found
}

async function recordMined(
  driver: Driver,
  send: Send,
  nodeReceipt: NodeReceipt,
  isAgreed: (receipt: NodeReceipt) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const receipt = receiptOf(nodeReceipt)
  const { mined } = send
  const isFinal = () => isCanonical(driver, nodeReceipt, isAgreed, signal)
  if (isBatch(send)) {
    if (mined && mined.blockHash !== receipt.blockHash) await reportBatchUnmined(driver, send, mined)
    return reportBatchMined(driver, send, receipt, isFinal)
  }
  if (mined?.blockHash !== receipt.blockHash) {
    if (mined) await reportOutcome(driver, send, { state: 'unmined', txHash: mined.txHash }, (tx) => markUnmined(tx, send, mined.blockHash))
    // A crash right after the broadcast may have prevented its report.
    await reportOutcome(driver, send, { state: 'broadcast', txHash: receipt.txHash }, (tx) => markReported(tx, send, receipt.txHash))
    await reportOutcome(driver, send, { state: 'mined', txHash: receipt.txHash, ok: receipt.ok }, (tx) => markMined(tx, send, receipt))
  }
  if (!(await isFinal())) return
  if (!receipt.ok && (await isUsedByOthers(driver, send, { block: receipt.block }, signal))) return
  await reportOutcome(driver, send, finalOutcome(send, receipt), (tx) => markConfirmed(tx, send, receipt))
}

/** The receipt may come from a node that has missed a reorganisation, so it is compared with the canonical chain. */
async function isCanonical(
  { chain }: Driver,
  receipt: NodeReceipt,
  isAgreed: (receipt: NodeReceipt) => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isAgreed(receipt)) return false
  const [canonical] = await chain.rpc.read(signal, headerCall(receipt.blockNumber))
  return canonical?.hash === receipt.blockHash
}

function finalOutcome({ call, termsHash, spentBefore }: Send, receipt: Receipt): PayoutOutcome {
  const { txHash, block, gasUsed, gasPrice, extraFee = 0n } = receipt
  const spent = { gasUsed: spentBefore.gasUsed + gasUsed, fee: spentBefore.fee + gasUsed * gasPrice + extraFee }
  const failed = (reason: string): PayoutOutcome => ({ state: 'failed', reason, cause: 'reverted', spent })
  if (!receipt.ok) return failed('The transaction was reverted by the chain.')
  // What a payer has authorised is no call of a factory.
  const result = termsHash === undefined ? { paid: [] } : payoutResult(call.to, { termsHash, data: call.data }, receipt)
  return 'failure' in result ? failed(result.failure) : { state: 'confirmed', txHash, position: block, ...result, ...spent }
}

/** A mined send without a receipt counts as reorganised away, unless the node still has its block. */
async function recordUnmined(driver: Driver, send: Send, mined: Inclusion, signal: AbortSignal): Promise<void> {
  const [canonical] = await driver.chain.rpc.read(signal, headerCall(mined.block))
  if (canonical?.hash === mined.blockHash) return
  if (isBatch(send)) await reportBatchUnmined(driver, send, mined)
  else await reportOutcome(driver, send, { state: 'unmined', txHash: mined.txHash }, (tx) => markUnmined(tx, send, mined.blockHash))
  for (const attempt of send.attempts) if (attempt.nonce === send.slot?.nonce) await broadcastBytes(driver, attempt, signal)
}

async function advanceUnmined(
  driver: Driver,
  send: Send,
  { isLowest, head, minedNonce }: { isLowest: boolean; head: Header; minedNonce: number },
  signal: AbortSignal,
): Promise<void> {
  const { chain, sql } = driver
  const { slot } = send
  const last = lastAttempt(send)
  if (!slot || !last) return
  if (minedNonce > slot.nonce) {
    if (await nonceUsedElsewhere(chain, send, slot, head, signal)) await giveUpSlot(sql, send, slot.nonce)
    return
  }
  if (send.isBackingOff) return
  const { replaceAfterMs } = chain.config
  // Only the first nonce gets higher fees, since the later ones wait for it whatever they pay.
  if (mustEmpty(driver, send, last)) await sendEmpty(driver, send, last, signal)
  else if (isLowest && last.ageMs > replaceAfterMs && slot.operator === chain.signer.address)
    await replace(driver, send, slot, last, signal)
  else if (isDueForBroadcast(driver, last.txHash, replaceAfterMs / 3)) await broadcast(driver, send, last, signal)
}

/** A reorganisation may free nonces below our lowest pending one. Until they are used again, none of our transactions can be mined. */
async function rebroadcastLostNonces(
  driver: Driver,
  operator: string,
  minedNonce: number,
  own: readonly Send[],
  signal: AbortSignal,
): Promise<void> {
  const { sql, chain } = driver
  const lowest = Math.min(...own.flatMap((send) => send.slot?.nonce ?? []))
  if (minedNonce >= lowest) return
  for (const slot of await spentSlots(sql, chain.id, operator, minedNonce, lowest)) {
    const bytes = slot.isSafe ? slot : await fillNonce(driver, operator, slot, signal)
    // A broadcast before the reorganisation does not count, so this one is tracked under a separate key.
    if (!bytes || !isDueForBroadcast(driver, `refill ${bytes.txHash}`, chain.config.replaceAfterMs / 3)) continue
    const refusal = await broadcastBytes(driver, bytes, signal)
    if (refusal !== undefined)
      driver.onProblem(new Error(`The node rejects ${bytes.txHash}, which a reorganisation removed: ${refusal}. Retrying later.`))
    driver.broadcastAt.set(`refill ${bytes.txHash}`, performance.now())
  }
}

/** Our own bytes for this nonce belong to a send that has another nonce by now. Broadcasting them would send it twice. */
async function fillNonce(driver: Driver, operator: string, slot: SpentSlot, signal: AbortSignal): Promise<Attempt | undefined> {
  const { sql, chain } = driver
  if (operator !== chain.signer.address) return undefined
  const attempt = await signEmpty(driver, slot.nonce, slot, signal)
  await insertAttempt(sql, { id: slot.sendId, chainId: chain.id }, { operator }, attempt)
  return attempt
}

/** Nodes drop transactions, so unmined ones are broadcast again at intervals, and at once by a process that has not broadcast them yet. */
function isDueForBroadcast({ broadcastAt }: Driver, txHash: string, forMs: number): boolean {
  return performance.now() - (broadcastAt.get(txHash) ?? -Infinity) > forMs
}
