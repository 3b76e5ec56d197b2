import { apply } from './apply.ts'
import { sameAsset } from './asset.ts'
import { isExplained } from './balance.ts'
import { accept, type Command, type Decision, type Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { funding, quoteById } from './funding.ts'
import type { Order, Transfer } from './order.ts'
import { needsPrice, repriced } from './repricing.ts'
import { recipientIsPaid, runningSettlement } from './settling.ts'

export const arrived = (
  order: Order,
  { transfer, head, quote }: Extract<Command, { type: 'arrived' }>,
  rules: Rules,
  now: number,
): Decision => {
  const known = order.transfers.find((one) => one.key === transfer.key)
  const isThere = known && known.state !== 'dropped'
  if (isThere && known.blockHash === transfer.blockHash) return accept([])
  if (isThere && (known.state === 'applied' || known.state === 'refunded')) {
    return accept([{ type: 'transfer_moved', key: known.key, block: transfer.block, blockHash: transfer.blockHash }])
  }
  if (!isThere && isExplained(order, transfer)) return accept([])
  // In another block than before it is another sight of it: what was confirmed there is not confirmed here.
  const facts: Fact[] = isThere ? [{ type: 'transfer_dropped', key: known.key }] : []
  facts.push({
    type: 'transfer_seen',
    transfer: { ...transfer, seenAt: known?.seenAt ?? transfer.seenAt, state: 'seen', confirmations: 0 },
  })
  const seenAt = known?.seenAt ?? transfer.seenAt
  if (!isThere && quote && sameAsset(quote.source, transfer.asset) && needsPrice(order, transfer.asset, seenAt))
    facts.push(repriced(order, quote, rules, now))
  const state = facts.reduce((current, fact) => apply(current, fact, now), order)
  return accept([...facts, ...confirmed(state, (one) => one.key === transfer.key, head, now)])
}

/**
 * Confirmations grow with the head; a transfer is confirmed once it has its chain's number of them. Asked only of transfers whose blocks
 * are known to be there: an arrival vouches for its own, a block for all that did not vanish before it.
 */
export const confirmed = (order: Order, isThere: (transfer: Transfer) => boolean, head: number, now: number): readonly Fact[] => {
  const facts: Fact[] = []
  let counted = false
  const { source } = funding(order).quote
  for (const one of order.transfers) {
    if (one.state !== 'seen' || !isThere(one)) continue
    const confirmations = Math.min(one.needed, Math.max(0, head - one.block + 1))
    if (confirmations > one.confirmations) facts.push({ type: 'transfer_progressed', key: one.key, confirmations })
    if (confirmations >= one.needed) {
      facts.push({ type: 'transfer_confirmed', key: one.key })
      counted ||= sameAsset(one.asset, source)
    }
  }
  return counted && order.status === 'PARTIAL_PAYMENT' ? [...facts, ...stillPartial(order, facts, now)] : facts
}

/** PARTIAL_PAYMENT is announced again for every further deposit that does not complete the order. */
const stillPartial = (order: Order, facts: readonly Fact[], now: number): readonly Fact[] => {
  const { kept, enough, seen } = funding(facts.reduce((state, fact) => apply(state, fact, now), order))
  return kept + seen < enough ? [{ type: 'became', status: 'PARTIAL_PAYMENT' }] : []
}

/** The block is gone, and the money with it. What was sent on before was not that money: a final settlement proves its own. */
export const vanished = (order: Order, keys: readonly string[]): readonly Fact[] =>
  order.transfers
    .filter((one) => keys.includes(one.key) && one.state !== 'dropped')
    .map((one) => ({ type: 'transfer_dropped', key: one.key }))

/** When a reorg took all the money that had fixed the source, nothing is fixed any more, as if it had never been there. */
export const withRelease = (order: Order, facts: readonly Fact[], now: number): readonly Fact[] => {
  const after = facts.reduce((state, fact) => apply(state, fact, now), order)
  if (facts.length === 0 || after.fixedQuote === undefined || runningSettlement(after) || recipientIsPaid(after)) return facts
  const { source } = quoteById(after, after.fixedQuote)
  const came = after.transfers.filter((one) => sameAsset(one.asset, source))
  return came.length > 0 && came.every((one) => one.state === 'dropped') ? [...facts, { type: 'source_released' }] : facts
}
