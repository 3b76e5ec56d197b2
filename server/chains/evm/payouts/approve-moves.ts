import { forEachConcurrently } from '../../../lib/for-each-concurrently.ts'
import { backoffMs, pause } from '../../../lib/pause.ts'
import { withDeadline } from '../../../lib/with-deadline.ts'
import { conversionOf } from '../conversion.ts'
import { convertCall, refundCall } from '../factory-calls.ts'
import { termsAddress, termsHash } from '../../../../src/wire/terms/terms-hash.ts'
import { moveNonce, moveOfRow, type UnsignedMove } from '../unsigned-move.ts'
import { GuardRefused, type Move } from '../../guard.ts'
import type { FailureCause } from '../../payouts.ts'
import { transaction } from '../../../database/transaction.ts'
import { guardsToAsk, markApproved, markWaiting, type MoveToApprove, movesToApprove } from './approval-queue.ts'
import { routeConversion } from './route-conversion.ts'
import { markRefused, postpone } from './send-states.ts'
import { reportOutcome, type Driver } from './send.ts'
import { isUsedByOthers, usedByOthers } from './used-by-others.ts'

const atOnce = 8
const guardsAtOnce = 16
/** A quarter of a second is no delay for a signature, and little work while there is nothing to sign. */
const shortestPauseMs = 250
const patienceMs = 10_000
/** An order says that it waits for the guard after this time. */
const waitingAfterMs = 60_000
/** A signature works for less than a day. People who sign as a guard need the same move each time that they are asked within it. */
const windowSeconds = 20n * 3_600n
/** A machine signs again whenever it is asked, and the longer a price is good for, the more it is worth to whoever can choose when it is used. */
const conversionSeconds = 2n * 3_600n
/** Before a move gets a nonce, its signature must work for this much longer, which is enough for a stuck transaction. */
const leftSeconds = 3_600n

/**
 * Asks the guards for signatures, beside the queue. Each guard is asked for several moves at a time and on its own, so that a slow one delays
 * nothing but its own moves. Each process with the chain's lease runs it until the signal aborts.
 */
export async function approveMoves(driver: Driver, signal: AbortSignal): Promise<void> {
  const { sql, chain, onProblem } = driver
  const busy = new Map<string, Promise<void>>()
  while (!signal.aborted) {
    try {
      for (const guard of await guardsToAsk(sql, chain.id, [...busy.keys()], guardsAtOnce - busy.size))
        busy.set(
          guard,
          askGuard(driver, guard, signal).finally(() => busy.delete(guard)),
        )
      await pause(Math.max(chain.config.pollMs, shortestPauseMs), signal)
    } catch (error) {
      if (signal.aborted) break
      onProblem(error)
      await pause(1_000, signal)
    }
  }
  await Promise.all(busy.values())
}

async function askGuard(driver: Driver, guard: string, signal: AbortSignal): Promise<void> {
  try {
    const moves = await movesToApprove(driver.sql, driver.chain.id, guard, atOnce * 4)
    await forEachConcurrently(atOnce, moves, (move) => approveAlone(driver, move, signal))
  } catch (error) {
    if (!signal.aborted) driver.onProblem(error)
  }
}

/** A move whose outcome cannot be recorded, or stored, waits and keeps none of the others from their signatures. */
async function approveAlone(driver: Driver, send: MoveToApprove, signal: AbortSignal): Promise<void> {
  try {
    await approve(driver, send, signal)
  } catch (error) {
    signal.throwIfAborted()
    driver.onProblem(error)
    await postpone(driver.sql, send, { ms: waitMs(send), problem: error instanceof Error ? error.message : String(error) })
  }
}

const waitMs = ({ failures }: MoveToApprove): number => backoffMs(failures, { firstMs: 1_000, longestMs: waitingAfterMs })

async function approve(driver: Driver, send: MoveToApprove, signal: AbortSignal): Promise<void> {
  const { sql, chain } = driver
  const planned = await routeConversion(driver, send, moveOfRow(send.move), signal)
  if (planned === 'elsewhere') return
  if (planned === 'no_route') return refuse(driver, send, { reason: 'No route yields enough now.', cause: 'reverts' })
  const { reason, terms } = planned
  const deadline = deadlineOf(send, planned)
  const signed = { ...moveOf(chain, planned, deadline), nonce: moveNonce(send.id), deadline }
  try {
    const { guard } = chain
    if (!guard) throw new Error('no guard is configured')
    const request = { chainId: chain.id, terms, move: signed, reason }
    const signature = await withDeadline(patienceMs, signal, (limit) => guard.sign(request, limit))
    const approved = { ...signed, signature }
    const { data } = signed.conversion ? convertCall(terms, chain.id, approved) : refundCall(terms, approved)
    if (await storeApproval(driver, send, data, deadline - leftSeconds)) driver.wake()
  } catch (error) {
    signal.throwIfAborted()
    const problem = error instanceof Error ? error.message : String(error)
    if (error instanceof GuardRefused) {
      // An earlier signature may have been used, for which the guard refuses another.
      const used = await isUsedByOthers(driver, { id: send.id, termsHash: `0x${termsHash(terms)}` }, {}, signal)
      if (used) return postpone(sql, send, { ms: waitMs(send), problem: usedByOthers })
      return refuse(driver, send, { reason: problem, cause: 'guard' })
    }
    await postpone(sql, send, { ms: waitMs(send), problem: `the guard has not signed: ${problem}` })
    driver.onProblem(new Error(`The guard has not signed for ${send.id}, and is asked again: ${problem}.`))
    if (send.ageMs > waitingAfterMs) await reportOutcome(driver, send, { state: 'waiting' }, (tx) => markWaiting(tx, send))
  }
}

/** The router refuses after the signature's own deadline. */
function moveOf({ id, config: { exchange } }: Driver['chain'], planned: UnsignedMove, deadline: bigint): Omit<Move, 'nonce' | 'deadline'> {
  const { terms, tokenIn, tokenOut, legs, conversion } = planned
  if (!conversion) return { tokenIn, tokenOut, legs }
  const { chosen, amountIn } = conversion
  if (!exchange || !chosen) throw new Error(`chain ${id} has no exchange`)
  const call = { ...chosen, tokenIn, tokenOut, amountIn, recipient: termsAddress(terms), deadline }
  return { tokenIn, tokenOut, legs, conversion: conversionOf(exchange, call) }
}

function deadlineOf({ createdAt, ageMs }: MoveToApprove, { conversion }: UnsignedMove): bigint {
  const window = conversion ? conversionSeconds : windowSeconds
  const age = BigInt(Math.floor(ageMs / 1000))
  return createdAt + window * ((age + 2n * leftSeconds) / window + 1n)
}

const refuse = (driver: Driver, send: MoveToApprove, why: { readonly reason: string; readonly cause: FailureCause }): Promise<void> =>
  reportOutcome(driver, send, { state: 'failed', ...why }, (tx) => markRefused(tx, send, why.reason))

/** An order that says that it waits for the guard stops saying so in the same transaction. */
const storeApproval = ({ sql, report }: Driver, send: MoveToApprove, data: string, until: bigint): Promise<boolean> =>
  transaction(sql, async (tx) => {
    const approved = await markApproved(tx, send, data, until)
    if (approved?.hasWaited) await report(tx, send, { state: 'approved' })
    return approved !== undefined
  })
