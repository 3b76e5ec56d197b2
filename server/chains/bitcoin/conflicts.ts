import type { ChainId } from '../../../src/wire/chain.ts'
import type { ReplacedTransfer } from '../feed.ts'
import type { Replacement, WaitingTransaction } from './coins.ts'
import { keyOf } from './payments.ts'

/**
 * A transaction that waits spends outputs, and so do its parents that wait. Another transaction that spends one of them excludes it. A parent
 * itself does not: the list of outputs names it, because its child spends one of its outputs.
 */
export function isReplacedBy({ txid, outpoints }: WaitingTransaction, spender: string): boolean {
  return spender !== txid && !outpoints.some((outpoint) => outpoint.startsWith(`${spender}:`))
}

/** Returns a function from outputs to the waiting transactions that need them. */
export function waitingBySpending(waiting: readonly WaitingTransaction[]): (outpoint: string) => readonly WaitingTransaction[] {
  const found = new Map<string, WaitingTransaction[]>()
  for (const each of waiting) {
    for (const outpoint of each.outpoints) {
      const others = found.get(outpoint)
      if (others) others.push(each)
      else found.set(outpoint, [each])
    }
  }
  return (outpoint) => found.get(outpoint) ?? []
}

export const replacedTransfers = (chainId: ChainId, replaced: ReadonlyMap<WaitingTransaction, string>): readonly ReplacedTransfer[] =>
  [...replaced].flatMap(([{ txid, coins }, by]) => coins.map(({ vout, address }) => ({ key: keyOf(chainId, txid, vout), to: address, by })))

export const replacementsOf = (replaced: ReadonlyMap<WaitingTransaction, string>): readonly Replacement[] =>
  [...replaced].map(([{ txid }, by]) => ({ txid, by }))
