import { backoffMs } from '../../../lib/pause.ts'
import { notePaidOut } from '../accounts.ts'
import { finalTransactionCall, heightCall, mostStatuses, sendCall, type Status, statusesCall, type Transaction } from '../calls.ts'
import { askExpired } from '../compare-nodes.ts'
import { mintOf } from '../mints.ts'
import { accountFor } from '../token-account.ts'
import type { Spent } from '../../payouts.ts'
import type { Agreed } from '../../second-node.ts'
import { type Driver, type ExpiredTransaction, type FinalTransaction, reportOutcome } from './driver.ts'
import {
  type Attempt,
  keyOfOrder,
  markAnnounced,
  markConfirmed,
  markFailed,
  markMined,
  markUnmined,
  requeue,
  type SentPayout,
  sentPayouts,
} from './payout-queue.ts'

const againAfterMs = 2_000
const waits = { firstMs: 500, longestMs: 600_000 }
/** A transaction that was simulated and fails in a block all the same does so because something has changed meanwhile. */
const mostFailures = 5

/** Follows what was sent. Each payout is reported in transactions of its own, so one whose report fails holds up no other. */
export async function followPayouts(driver: Driver, signal: AbortSignal): Promise<void> {
  const payouts = await sentPayouts(driver.sql, driver.config.chainId)
  const failures: unknown[] = []
  for (let start = 0; start < payouts.length; start += mostStatuses) {
    const part = payouts.slice(start, start + mostStatuses)
    const signatures = part.map(({ attempt }) => attempt.signature)
    // One request asks for both, so that the node that lacks a transaction is the one that says how far it is.
    const [height, { value: statuses }] = await driver.rpc.read(signal, heightCall(), statusesCall(signatures))
    const final = part.flatMap(({ attempt: { signature } }, i) => finalOf(signature, statuses[i] ?? null))
    const certain = driver.agreed ? await driver.agreed(final, signal) : hashesOf(final)
    const overdue = part.flatMap(({ attempt }, i) => (statuses[i] || height <= attempt.lastValidHeight ? [] : expiredOf(attempt)))
    const expired = await (driver.agreedExpired ?? byOneNode(driver))(overdue, signal)
    for (const [i, payout] of part.entries()) {
      const { signature } = payout.attempt
      const known = { status: statuses[i] ?? null, isCertain: certain.has(signature), isExpired: expired.has(signature) }
      try {
        await followPayout(driver, payout, known, signal)
      } catch (error) {
        signal.throwIfAborted()
        failures.push(error)
      }
    }
  }
  if (failures.length > 0) throw failures[0]
}

const finalOf = (txHash: string, status: Status): readonly FinalTransaction[] =>
  status?.confirmationStatus === 'finalized' ? [{ txHash, blockHash: String(status.slot), slot: status.slot }] : []

const expiredOf = ({ signature, lastValidHeight }: Attempt): readonly ExpiredTransaction[] => [
  { txHash: signature, blockHash: String(lastValidHeight), lastValidHeight },
]

/** A node that cannot say whether something has expired must not keep what has not from being followed. */
const byOneNode =
  ({ rpc, onProblem }: Driver): Agreed<ExpiredTransaction> =>
  async (overdue, signal) => {
    try {
      const answers = overdue.length === 0 ? [] : await askExpired(rpc, overdue, signal)
      return hashesOf(overdue.filter((_, i) => answers[i] === 'agrees'))
    } catch (error) {
      signal.throwIfAborted()
      onProblem(error)
      return new Set()
    }
  }

const hashesOf = (transactions: readonly { readonly txHash: string }[]): ReadonlySet<string> =>
  new Set(transactions.map(({ txHash }) => txHash))

interface Known {
  readonly status: Status
  /** No block can include it any more, and the nodes agree on that. */
  readonly isExpired: boolean
  /** It is final, and the nodes agree on that. */
  readonly isCertain: boolean
}

async function followPayout(
  driver: Driver,
  payout: SentPayout,
  { status, isExpired, isCertain }: Known,
  signal: AbortSignal,
): Promise<void> {
  const { attempt, minedSlot, failures } = payout
  const { signature } = attempt
  if (!status) {
    if (minedSlot !== undefined)
      await reportOutcome(driver, payout, { state: 'unmined', txHash: signature }, (tx) => markUnmined(tx, payout.id, signature))
    if (isExpired) return afterExpiry(driver, payout)
    return broadcast(driver, payout, signal)
  }
  await announce(driver, payout)
  if (status.confirmationStatus === 'processed') return
  if (status.err !== undefined) {
    if (!isCertain) return
    // What a payer has signed cannot be signed anew.
    if (payout.task !== 'countersign' && failures + 1 < mostFailures)
      return requeue(driver.sql, payout, `it failed: ${JSON.stringify(status.err)}`, backoffMs(failures, waits))
    return failed(driver, payout, signal)
  }
  if (minedSlot === undefined)
    await reportOutcome(driver, payout, { state: 'mined', txHash: signature, ok: true }, (tx) =>
      markMined(tx, payout.id, signature, status.slot),
    )
  if (isCertain) await confirmed(driver, payout, signal)
}

async function afterExpiry(driver: Driver, payout: SentPayout): Promise<void> {
  const reason = 'its transaction has expired'
  if (payout.task !== 'countersign') return requeue(driver.sql, payout, reason, 0)
  await reportOutcome(driver, payout, { state: 'failed', reason, cause: 'reverts' }, (tx) => markFailed(tx, payout.id, reason))
}

async function confirmed(driver: Driver, payout: SentPayout, signal: AbortSignal): Promise<void> {
  const { attempt } = payout
  const [found] = await driver.rpc.read(signal, finalTransactionCall(attempt.signature))
  // A node may know that it is final before it can show it.
  if (!found || found.meta.err !== undefined) return
  const outcome = {
    state: 'confirmed',
    txHash: attempt.signature,
    position: found.slot,
    paid: attempt.paid,
    ...(attempt.dust !== 0n && { dust: attempt.dust }),
    ...spentOf(payout, found),
  } as const
  const from = await accountOf(driver, payout)
  await reportOutcome(driver, payout, outcome, async (tx) => {
    if (!(await markConfirmed(tx, payout.id, attempt.signature))) return false
    if (from !== undefined) await notePaidOut(tx, driver.config.chainId, from, found.slot)
    return true
  })
  driver.broadcastAt.delete(attempt.signature)
}

/** Returns the account that it was paid from, unless its token is not configured any more. */
async function accountOf({ sql, config }: Driver, { orderId, token }: SentPayout): Promise<string | undefined> {
  const key = await keyOfOrder(sql, orderId)
  const isKnown = token === null || mintOf(config.tokens, token) !== undefined
  return key && isKnown ? accountFor(key.address, token, config.tokens) : undefined
}

async function failed(driver: Driver, payout: SentPayout, signal: AbortSignal): Promise<void> {
  const { signature } = payout.attempt
  const [found] = await driver.rpc.read(signal, finalTransactionCall(signature))
  if (!found) return
  const reason = `Its transactions fail: ${JSON.stringify(found.meta.err)}.`
  await reportOutcome(driver, payout, { state: 'failed', reason, cause: 'reverted', spent: spentOf(payout, found) }, (tx) =>
    markFailed(tx, payout.id, reason),
  )
}

/**
 * The payer of the fee comes first. He also pays for accounts that the transaction opens, and gets the rent of the one that it closes. What a
 * payer makes the operator pay for counts by its fee in the budget of an organisation, since the payer has set the price of a unit.
 */
function spentOf({ task }: SentPayout, { meta }: Transaction): Spent {
  const paid = (meta.preBalances[0] ?? 0) - (meta.postBalances[0] ?? 0)
  const fee = BigInt(Math.max(paid, meta.fee))
  if (task !== 'pay') return { fee, gasUsed: BigInt(meta.fee) }
  const known = new Set(meta.preTokenBalances?.map(({ accountIndex }) => accountIndex))
  const opened = (meta.postTokenBalances ?? []).filter(({ accountIndex }) => !known.has(accountIndex))
  // Somebody may have sent a part of the rent there before.
  const rents = opened.map(({ accountIndex }) => BigInt((meta.postBalances[accountIndex] ?? 0) - (meta.preBalances[accountIndex] ?? 0)))
  return {
    fee,
    gasUsed: BigInt(meta.computeUnitsConsumed ?? 0),
    ...(rents.length > 0 && { opened: rents.reduce((sum, rent) => sum + rent, 0n) }),
  }
}

async function announce(driver: Driver, payout: SentPayout): Promise<void> {
  const { signature } = payout.attempt
  if (payout.announced.includes(signature)) return
  await reportOutcome(driver, payout, { state: 'broadcast', txHash: signature }, (tx) => markAnnounced(tx, payout.id, signature))
}

/** Nodes pass a transaction on and forget it, so it is sent again until a block has it or it has expired. */
async function broadcast(driver: Driver, payout: SentPayout, signal: AbortSignal): Promise<void> {
  const { signature, raw } = payout.attempt
  const last = driver.broadcastAt.get(signature)
  if (last !== undefined && performance.now() - last < againAfterMs) return
  const [answer] = await driver.rpc.attempt(signal, sendCall(raw))
  driver.broadcastAt.set(signature, performance.now())
  if (answer && 'error' in answer) return driver.onProblem(new Error(`A node refuses transaction ${signature}: ${answer.error.message}`))
  await announce(driver, payout)
}
