import type { FlowPorts } from '../method.ts'
import { type Answer, completeX402 } from './complete-x402.ts'
import { slowMs } from './find-wallet.ts'
import { forget, type Kept } from './kept-signature.ts'
import { isWorthKeeping, lacksMoney, type Notice, noticeOfReason } from './notice.ts'
import { pause } from './pause.ts'
import type { Review, SignatureStep } from './pay-by-signature.ts'

const maxUnanswered = 4
const retryMs = 1_500

/** What the payer may do instead, since the signature did not pay. */
export interface Again {
  readonly answer: Answer
  readonly notice: Notice
}

/** Sends a signature until the order is paid by it, or cannot be. */
export async function* deliver(
  ports: FlowPorts,
  kept: Kept,
  review: Review | undefined,
  signal: AbortSignal,
): AsyncGenerator<SignatureStep, Again | undefined> {
  const { id } = ports.order()
  const began = performance.now()
  let unanswered = 0
  while (!signal.aborted) {
    yield { at: 'sending', slow: performance.now() - began > slowMs }
    const answer = await completeX402(ports.api.post, id, kept.header, signal)
    switch (answer.at) {
      case 'paid':
        await ports.refresh().catch(() => undefined)
        forget(id)
        review?.wallet.leave?.()
        return undefined
      case 'pending':
        unanswered = 0
        await ports.refresh().catch(() => undefined)
        break
      case 'silent':
        if (++unanswered < maxUnanswered) break
        yield { at: 'unsent', review, notice: { code: 'unsent' } }
        return undefined
      case 'asked': {
        const reason = answer.reason ?? 'order_not_payable'
        const notice = noticeOfReason(reason)
        // If the account lacks money and offers remain, the payer may choose another wallet. Otherwise a retry sends this signature.
        if (isWorthKeeping(reason) && (review || !lacksMoney(reason) || answer.asked.offers.length === 0)) {
          yield review ? { at: 'review', review, needs: 'resend', notice } : { at: 'unsent', review, notice }
          return undefined
        }
        forget(id)
        return { answer, notice }
      }
      case 'taken':
        return yield* refreshAndEnd(ports, { code: 'service_message', message: answer.message })
      case 'refused':
        forget(id)
        return yield* refreshAndEnd(ports, { code: 'service_message', message: answer.message })
      default:
        return answer satisfies never
    }
    await pause(retryMs * 2 ** Math.max(0, unanswered - 1), signal)
  }
  return undefined
}

/** The order cannot be paid this way now, so it is fetched again for the page to show its current state. */
export async function* refreshAndEnd(ports: FlowPorts, notice: Notice): AsyncGenerator<SignatureStep, undefined> {
  await ports.refresh().catch(() => undefined)
  yield { at: 'over', notice }
  return undefined
}
