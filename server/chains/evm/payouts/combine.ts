import { mostInBatch } from './queue.ts'
import type { Send } from './send.ts'

/**
 * Combines sends that are due, in their order, into at most `slots` transactions. Settlements of one tenant share one. Nothing is
 * delayed to fill a batch: whatever is due is sent. An order is in a batch only once, since the batch's result is read by the order's terms.
 */
export function combine(due: readonly Send[], slots: number): readonly (readonly [Send, ...Send[]])[] {
  const transactions: [Send, ...Send[]][] = []
  for (const send of due) {
    const shared = transactions.find((batch) => fits(batch, send))
    if (shared) shared.push(send)
    else if (transactions.length < slots) transactions.push([send])
  }
  return transactions
}

const fits = (batch: readonly [Send, ...Send[]], { mayShare, tenant, priority, termsHash, call }: Send): boolean =>
  batch[0].mayShare &&
  mayShare &&
  batch[0].tenant === tenant &&
  batch[0].priority === priority &&
  batch[0].call.to === call.to &&
  batch.length < mostInBatch &&
  batch.every((member) => member.termsHash !== termsHash)
