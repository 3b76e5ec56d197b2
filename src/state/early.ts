import type { OrderBoot } from '../wire/boot.ts'
import type { Step } from './step.ts'
import { transfersOf } from './transfers.ts'

/** From when on a deadline is shown. */
export const deadlineShownMs = 5 * 60_000

/** Which parts the server's page holds something of (screens/parts.ts). */
export const drawnParts = ({ order, methods, now }: OrderBoot, step: Step): { ways?: true; pay?: true; later?: true } => {
  switch (step.at) {
    case 'choose':
      return { ways: true, later: methods === undefined ? true : undefined }
    case 'method':
      return { ways: true }
    case 'pay': {
      const near = step.until !== undefined && step.until - now <= deadlineShownMs + 10_000
      const started = step.funding.received + step.funding.seen > 0n
      return { pay: true, later: near || started || transfersOf(order).length > 0 ? true : undefined }
    }
    case 'pick':
    case 'confirming':
    case 'done':
    case 'expired':
    case 'refunded':
    case 'failed':
    case 'unknown':
      return { later: true }
    default:
      return step satisfies never
  }
}
