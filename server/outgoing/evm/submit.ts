import type { SendOutcome } from '../../chains/sender.ts'
import { backOffMs, isolated } from './back-off.ts'
import { broadcast } from './broadcast.ts'
import { sendEmpty, mustEmpty } from './empty-transaction.ts'
import { markRefused, nextNonce, postpone, sendsDue, sendsWithNonce, takeSlot, waitFor } from './queue.ts'
import { lastAttempt, type Attempt, type Driver, type Send, sign, reportOutcome } from './send.ts'
import { simulate } from './simulate.ts'

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
 * 2. Then each queued send, in order, is simulated, signed, stored and broadcast. A call that reverts or needs too much gas uses no nonce.
 * 3. A call may revert because earlier ones of ours are not mined yet, so it is refused only if it still reverts once they are.
 * 4. A send that cannot go ahead is postponed and the next one is tried, so that no send blocks another order's.
 */
export async function submit(driver: Driver, signal: AbortSignal): Promise<void> {
  const { sql, chain, maxInFlight } = driver
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
  for (const send of await sendsDue(sql, chain.id, maxInFlight - inFlight.count)) {
    signal.throwIfAborted()
    await step(send, () => start(driver, send, inFlight, signal))
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
  switch (simulation.at) {
    case 'too_much_gas':
      return refuse(driver, send, { reason: simulation.reason, cause: 'gas' })
    case 'reverts': {
      const isWaiting = inFlight.count > 0 && inFlight.first <= (send.waitsFor ?? inFlight.last)
      return isWaiting
        ? waitFor(sql, send, inFlight.last, chain.config.pollMs)
        : refuse(driver, send, { reason: simulation.reason, cause: 'reverts' })
    }
    case 'insufficient_funds':
      return postponeForFunds(driver, send, simulation.reason)
    case 'ready':
      break
    default:
      return simulation satisfies never
  }
  const cost = simulation.gas * simulation.fees.maxFeePerGas + send.call.value
  if (simulation.balance < inFlight.cost + cost) {
    const rest = inFlight.cost > 0n ? ` in addition to ${inFlight.cost} for transactions in flight` : ''
    return postponeForFunds(driver, send, `insufficient funds: it may cost ${cost} wei${rest}, and the operator has ${simulation.balance}`)
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

/** Postpones a send for which the operator lacks coin now, so that cheaper ones go ahead. */
async function postponeForFunds(driver: Driver, send: Send, problem: string): Promise<void> {
  await postpone(driver.sql, send, { ms: backOffMs(driver, send), problem })
  driver.onProblem(new Error(`Postponed ${send.id}; the sending queue continues without it: ${problem}.`))
}

/** If the report throws, the send stays queued and is simulated again after its back-off. */
async function refuse(
  driver: Driver,
  send: Send,
  why: Pick<Extract<SendOutcome, { state: 'refused' }>, 'reason' | 'cause'>,
): Promise<void> {
  await reportOutcome(driver, send, { state: 'refused', ...why }, (tx) => markRefused(tx, send, why.reason))
}
