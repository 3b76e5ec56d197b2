import { transaction } from '../../../database/transaction.ts'
import type { PayoutOutcome } from '../../payouts.ts'
import { backOffMs, isolated } from './back-off.ts'
import { dissolve, insertBatch } from './batch-queue.ts'
import { broadcast } from './broadcast.ts'
import { combine } from './combine.ts'
import { sendEmpty, mustEmpty } from './empty-transaction.ts'
import { mostInBatch, nextNonce, sendsDue, sendsWithNonce } from './queue.ts'
import { markRefused, postpone, takeSlot, waitFor } from './send-states.ts'
import { isBatch, lastAttempt, type Attempt, type Driver, type Send, sign, spentInBatch, reportOutcome } from './send.ts'
import { simulate } from './simulate.ts'
import { isUsedByOthers, usedByOthers } from './used-by-others.ts'

/** An operator has at most this many unmined transactions, because nodes limit the pending transactions of an account. */
const maxInFlight = 16

/** The operator's unmined transactions have this range of nonces, and cost at most `cost` together. */
interface InFlight {
  first: number
  last: number
  count: number
  cost: bigint
}

/**
 * 1. Transactions that were signed before are broadcast first, from the stored bytes. If nodes keep rejecting the bytes, an empty
 * transaction takes their nonce.
 * 2. Settlements of one tenant that are due together become one send, which is stored before it goes on like any other (see combine.ts).
 * 3. Then each queued send, in order, is simulated, signed, stored and broadcast. A call that reverts or needs too much gas uses no nonce.
 * 4. A call may revert because earlier ones of ours are not mined yet, so it is refused only if it still reverts once they are.
 * 5. A send that cannot go ahead is postponed and the next one is tried, so that no send blocks another order's.
 */
export async function submit(driver: Driver, signal: AbortSignal): Promise<void> {
  const { sql, chain } = driver
  const step = isolated(driver, signal)
  const open = await sendsWithNonce(sql, chain.id, ['signed', 'broadcast'], maxInFlight)
  for (const send of open) {
    if (send.state === 'signed' && !send.isBackingOff) await step(send, () => broadcastSlot(driver, send, signal))
  }
  const nonces = open.flatMap(({ slot }) => slot?.nonce ?? [])
  const inFlight: InFlight = {
    first: Math.min(...nonces),
    last: Math.max(...nonces),
    count: open.length,
    cost: open.reduce((sum, send) => sum + costOf(send, lastAttempt(send)), 0n),
  }
  const slots = maxInFlight - inFlight.count
  for (const sends of combine(await sendsDue(sql, chain.id, slots * mostInBatch), slots)) {
    signal.throwIfAborted()
    const send = sends.length > 1 ? await insertBatch(sql, sends) : sends[0]
    if (send) await step(send, () => start(driver, send, inFlight, signal))
  }
}

/** Broadcasts the latest bytes or, when nodes keep rejecting them, an empty transaction that unblocks the later nonces. */
async function broadcastSlot(driver: Driver, send: Send, signal: AbortSignal): Promise<void> {
  const last = lastAttempt(send)
  if (!last) return
  if (mustEmpty(driver, send, last)) await sendEmpty(driver, send, last, signal)
  else await broadcast(driver, send, last, signal)
}

async function start(driver: Driver, send: Send, inFlight: InFlight, signal: AbortSignal): Promise<void> {
  const { sql, chain } = driver
  const simulation = await simulate(driver, send, inFlight.count > 0, signal)
  // Fees that are too high for a batch are too high for each of it.
  if (isBatch(send) && simulation.at !== 'ready' && simulation.at !== 'too_dear') return separate(driver, send, simulation.reason)
  switch (simulation.at) {
    case 'too_much_gas':
      return refuse(driver, send, { reason: simulation.reason, cause: 'gas' })
    case 'reverts': {
      const isWaiting = inFlight.count > 0 && inFlight.first <= (send.waitsFor ?? inFlight.last)
      if (isWaiting) return waitFor(sql, send, inFlight.last, chain.config.pollMs)
      if (await isUsedByOthers(driver, send, {}, signal)) return postpone(sql, send, { ms: backOffMs(driver, send), problem: usedByOthers })
      return refuse(driver, send, { reason: simulation.reason, cause: 'reverts' })
    }
    case 'insufficient_funds':
    case 'too_dear':
      return postponeWith(driver, send, simulation.reason)
    case 'ready':
      break
    default:
      return simulation satisfies never
  }
  const cost = simulation.gas * simulation.fees.maxFeePerGas + send.call.value
  if (simulation.balance < inFlight.cost + cost) {
    const rest = inFlight.cost > 0n ? ` in addition to ${inFlight.cost} for transactions in flight` : ''
    const problem = `insufficient funds: it may cost ${cost} wei${rest}, and the operator has ${simulation.balance}`
    return isBatch(send) ? separate(driver, send, problem) : postponeWith(driver, send, problem)
  }
  const { address: operator } = chain.signer
  const stored = await nextNonce(sql, chain.id, operator)
  const nonce = Math.max(stored ?? simulation.pendingNonce, simulation.minedNonce)
  const slot = { operator, nonce, signedBlock: simulation.head }
  const attempt = await sign(driver, send, slot, simulation, signal)
  if (!(await takeSlot(sql, send, slot, attempt))) return
  inFlight.first = Math.min(inFlight.first, nonce)
  inFlight.last = nonce
  inFlight.count++
  inFlight.cost += cost
  await broadcast(driver, { ...send, state: 'signed', slot, failures: 0 }, attempt, signal)
}

const costOf = ({ call }: Send, attempt: Attempt | undefined): bigint =>
  attempt ? attempt.gas * attempt.maxFeePerGas + (attempt.isEmpty ? 0n : call.value) : 0n

/** Postpones a send for which the operator lacks coin now, or pays too little, so that others go ahead. */
async function postponeWith(driver: Driver, send: Send, problem: string): Promise<void> {
  await postpone(driver.sql, send, { ms: backOffMs(driver, send), problem })
  driver.onProblem(new Error(`Postponed ${send.id}; the sending queue continues without it: ${problem}.`))
}

/** What cannot go together, for whatever reason, goes alone, and alone it is clear whose fault that is. */
async function separate(driver: Driver, batch: Send, problem: string): Promise<void> {
  if (!(await transaction(driver.sql, (tx) => dissolve(tx, batch, problem)))) return
  driver.onProblem(new Error(`Cannot send ${batch.id}; its settlements go alone: ${problem}.`))
  driver.wake()
}

/** If the report throws, the send stays queued and is simulated again after its back-off. */
async function refuse(
  driver: Driver,
  send: Send,
  why: Pick<Extract<PayoutOutcome, { state: 'failed' }>, 'reason' | 'cause'>,
): Promise<void> {
  await reportOutcome(driver, send, { state: 'failed', ...why, ...spentInBatch(send) }, (tx) => markRefused(tx, send, why.reason))
}
