import { coinsOf } from './check-transaction.ts'
import type { Entry } from './mempool.ts'
import { feeAt, incrementalRate, mostReplaced, rateOf } from './policy.ts'
import type { Rejection } from './rejection.ts'

export interface Replacement {
  readonly entry: Entry
  /** What spends a coin that the new transaction spends. */
  readonly conflicts: ReadonlySet<Entry>
  /** The conflicts and their descendants. */
  readonly replaced: ReadonlySet<Entry>
  readonly ancestors: ReadonlySet<Entry>
  parentsOf(entry: Entry): readonly Entry[]
}

/** Every transaction here can be replaced, whether it signals so or not, as in Bitcoin Core since 28.0. The other rules are those of BIP 125. */
export function checkReplacement({ entry, conflicts, replaced, ancestors, parentsOf }: Replacement): Rejection | undefined {
  if (conflicts.size === 0) return undefined
  const { txid, vsize } = entry.transaction
  for (const conflict of conflicts) {
    if (!ancestors.has(conflict)) continue
    const detail = `${txid} spends conflicting transaction ${conflict.transaction.txid}`
    return { reason: 'bad-txns-spends-conflicting-tx', detail }
  }
  const tooCheap = (why: string): Rejection => ({ reason: 'insufficient fee', detail: `rejecting replacement ${txid}${why}` })
  const rate = rateOf(entry.fee, vsize)
  for (const conflict of conflicts) {
    const oldRate = rateOf(conflict.fee, conflict.transaction.vsize)
    if (rate <= oldRate) return tooCheap(`; new feerate ${formatRate(rate)} <= old feerate ${formatRate(oldRate)}`)
  }
  if (replaced.size > mostReplaced) {
    const detail = `rejecting replacement ${txid}; too many potential replacements (${replaced.size} > ${mostReplaced})`
    return { reason: 'too many potential replacements', detail }
  }
  const known = new Set([...conflicts].flatMap((conflict) => parentsOf(conflict)))
  const added = parentsOf(entry).find((parent) => !known.has(parent))
  if (added) {
    const index = entry.transaction.inputs.findIndex((input) => input.txid === added.transaction.txid)
    return { reason: 'replacement-adds-unconfirmed', detail: `replacement ${txid} adds unconfirmed input, idx ${index}` }
  }
  const oldFees = [...replaced].reduce((sum, { fee }) => sum + fee, 0n)
  if (entry.fee < oldFees) return tooCheap(`, less fees than conflicting txs; ${coinsOf(entry.fee)} < ${coinsOf(oldFees)}`)
  const additional = entry.fee - oldFees
  const least = feeAt(incrementalRate, vsize)
  if (additional < least) return tooCheap(`, not enough additional fees to relay; ${coinsOf(additional)} < ${coinsOf(least)}`)
  return undefined
}

function formatRate(rate: bigint): string {
  const digits = `${rate}`.padStart(9, '0')
  return `${digits.slice(0, -8)}.${digits.slice(-8)} BTC/kvB`
}
