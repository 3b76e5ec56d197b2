import type { OrderBoot } from '../wire/boot.ts'
import type { Step } from './step.ts'
import { transfersOf } from './transfers.ts'

/** From when on a deadline is shown. */
export const deadlineShownMs = 5 * 60_000

/** Whether the server's page holds nothing of what the page fetches later (screens/later.tsx): then it can do without. */
export const startsEarly = ({ order, methods, now }: OrderBoot, step: Step): boolean => {
  switch (step.at) {
    case 'choose':
      return methods !== undefined
    case 'method':
      return true
    case 'pay':
      return transfersOf(order).length === 0 && (step.until === undefined || step.until - now > deadlineShownMs + 10_000)
    case 'pick':
    case 'confirming':
    case 'done':
    case 'expired':
    case 'refunded':
    case 'failed':
    case 'unknown':
      return false
    default:
      return step satisfies never
  }
}
