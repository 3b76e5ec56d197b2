import { keccak256, type Hex } from 'viem'
import { broadcast } from './broadcast.ts'
import type { Fees } from './fees.ts'
import { markRefused, nextNonce, openSends, takeSlot } from './queue.ts'
import type { Attempt, Driver, Send, Slot } from './send.ts'
import { simulate } from './simulate.ts'
import { tell } from './tell.ts'

/**
 * Moves the queue onto the chain.
 *
 * 1. What was signed before a crash goes out first, with the bytes that were written down.
 * 2. Then the queue in its order: simulate, sign, write, broadcast. A call that reverts spends no number.
 * 3. A call may revert only because ours before it is not mined yet; it is refused when nothing of ours is under way.
 */
export async function submit(driver: Driver, signal: AbortSignal): Promise<void> {
  const open = await openSends(driver.sql, driver.chain.id, ['signed', 'broadcast'], driver.maxInFlight)
  for (const send of open) {
    if (send.state === 'signed') await broadcast(driver, send, send.attempts.at(-1)!, signal)
  }
  let underWay = open.length
  for (const send of await openSends(driver.sql, driver.chain.id, ['queued'], driver.maxInFlight - underWay)) {
    signal.throwIfAborted()
    const simulation = await simulate(driver, send, underWay > 0, signal)
    if (simulation.reverts !== undefined) {
      if (underWay === 0) await refuse(driver, send, simulation.reverts)
      continue
    }
    const { address: operator } = driver.chain.signer
    const stored = await nextNonce(driver.sql, driver.chain.id, operator)
    const nonce = Math.max(stored ?? simulation.pendingNonce, simulation.minedNonce)
    const slot = { operator, nonce, signedBlock: simulation.head }
    const attempt = await sign(driver, send, slot, simulation, signal)
    if (!(await takeSlot(driver.sql, send, slot, attempt))) continue
    underWay++
    await broadcast(driver, { ...send, state: 'signed', slot }, attempt, signal)
  }
}

export async function sign(
  { chain }: Driver,
  { call }: Send,
  { nonce }: Slot,
  { gas, fees }: { readonly gas: bigint; readonly fees: Fees },
  signal: AbortSignal,
): Promise<Attempt> {
  const raw = await chain.signer.sign({ ...call, ...fees, chainId: chain.id, nonce, gas }, signal)
  return { txHash: keccak256(raw as Hex), raw, gas, ...fees, ageMs: 0 }
}

/** A report that throws leaves the send in the queue: it is refused again at the next look. */
async function refuse(driver: Driver, send: Send, reason: string): Promise<void> {
  try {
    await tell(driver, send, { state: 'refused', reason }, (tx) => markRefused(tx, send, reason))
  } catch (error) {
    driver.problem(error)
  }
}
