import { sameCurrency, type Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { fundingOf } from './funding.ts'
import { misdirectedOf } from './misdirected.ts'
import { replacementOf } from './replaced.ts'
import { deadlineOf } from './times.ts'
import { transfersOf } from './transfers.ts'

/** A change within a screen does not move the focus, so screen readers need an announcement. */
export type News =
  | { readonly type: 'received'; readonly amount: Funds; readonly rest: Funds }
  | { readonly type: 'vanished'; readonly amount: Funds }
  /** The sender has replaced the transaction by another that does not pay the order. */
  | { readonly type: 'replaced'; readonly amount: Funds }
  /** The same currency is asked for at a new price. */
  | { readonly type: 'repriced'; readonly was: Funds; readonly now: Funds }
  | { readonly type: 'extended' }
  /** Money has arrived that does not pay the order. */
  | { readonly type: 'stray'; readonly amount: Funds }

export const newsOf = (before: OrderRead, after: OrderRead): News | undefined => {
  const still = new Set(transfersOf(after).map((transfer) => transfer.hash))
  const gone = transfersOf(before).find((transfer) => transfer.state === 'seen' && !still.has(transfer.hash))
  const replacement = gone && replacementOf(after, gone.hash)
  if (gone && replacement !== 'pays') return { type: replacement === 'lost' ? 'replaced' : 'vanished', amount: gone.funds }
  const known = new Set(misdirectedOf(before).map(({ hash }) => hash))
  const stray = misdirectedOf(after).find(({ hash }) => !known.has(hash))
  if (stray) return { type: 'stray', amount: stray.funds }
  const [was, is] = [fundingOf(before), fundingOf(after)]
  if (was && is && is.due > 0n && is.received + is.seen > was.received + was.seen) {
    const { currency } = is
    return { type: 'received', amount: { raw: is.received + is.seen - was.received - was.seen, currency }, rest: { raw: is.due, currency } }
  }
  if (was && is && is.due > 0n && is.required !== was.required && sameCurrency(was.currency, is.currency)) {
    return { type: 'repriced', was: { raw: was.required, currency: was.currency }, now: { raw: is.required, currency: is.currency } }
  }
  const [ended, ends] = [deadlineOf(before), deadlineOf(after)]
  return after.status === before.status && ended !== undefined && ends !== undefined && ends > ended ? { type: 'extended' } : undefined
}
