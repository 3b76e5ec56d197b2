import type { Send } from './send.ts'

/** More orders would save little more per order, and a transaction that fails would hold up more of them. */
export const mostInBatch = 20

/**
 * Combines sends that are due, in their order, into at most `slots` transactions. Settlements of one tenant share one, unless they were signed
 * for or have failed before. Nothing waits for company: whatever is due now goes now. An order is in a batch only once, since the batch's
 * result is read by the order's terms.
 */
export function combine(due: readonly Send[], slots: number): readonly (readonly [Send, ...Send[]])[] {
  const transactions: [Send, ...Send[]][] = []
  for (const send of due) {
    const shared = mayBeBatched(send) ? transactions.find((batch) => fits(batch, send)) : undefined
    if (shared) shared.push(send)
    else if (transactions.length < slots) transactions.push([send])
  }
  return transactions
}

const mayBeBatched = ({ tenant, hasLeftBatch, attempts, failures, waitsFor }: Send): boolean =>
  tenant !== undefined && !hasLeftBatch && attempts.length === 0 && failures === 0 && waitsFor === undefined

const fits = (batch: readonly [Send, ...Send[]], { tenant, priority, termsHash, call }: Send): boolean =>
  mayBeBatched(batch[0]) &&
  batch[0].tenant === tenant &&
  batch[0].priority === priority &&
  batch[0].call.to === call.to &&
  batch.length < mostInBatch &&
  batch.every((member) => member.termsHash !== termsHash)
