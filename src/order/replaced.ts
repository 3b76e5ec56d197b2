import { sameCurrency, type Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { payCurrency } from './pay-currency.ts'
import { transfersOf } from './transfers.ts'

/** A wallet that raises its fee replaces a transaction by another that pays as well, so that both are one step of the same payment. */
export type Replacement = 'none' | 'pays' | 'lost'

/** Returns the entries in whose place nothing pays. A replacement that was replaced in its turn has an entry of its own. */
function lostEntries(order: OrderRead) {
  const replaced = order.payment?.replaced ?? []
  const followed = new Set([...transfersOf(order).map(({ hash }) => hash), ...replaced.map(({ tx_hash }) => tx_hash)])
  return replaced.filter(({ replaced_by }) => !followed.has(replaced_by))
}

/** Follows the replacements of a transaction to the last one. Each entry is used at most once, so a cycle ends. */
export function replacementOf(order: OrderRead, hash: string): Replacement {
  const next = new Map(order.payment?.replaced?.map(({ tx_hash, replaced_by }) => [tx_hash, replaced_by]))
  if (!next.has(hash)) return 'none'
  const present = new Set(transfersOf(order).map((transfer) => transfer.hash))
  let current: string | undefined = hash
  while (current !== undefined) {
    if (present.has(current)) return 'pays'
    const following = next.get(current)
    next.delete(current)
    current = following
  }
  return 'lost'
}

/** Returns what was announced to the network and will never arrive, in the currency that the order is paid in. */
export function lostToReplacement(order: OrderRead): Funds | undefined {
  const currency = payCurrency(order)
  if (!currency) return undefined
  const lost = lostEntries(order).filter((entry) => !entry.currency || sameCurrency(entry.currency, currency))
  const raw = lost.reduce((sum, { amount }) => sum + BigInt(amount.raw), 0n)
  return raw > 0n ? { raw, currency } : undefined
}
