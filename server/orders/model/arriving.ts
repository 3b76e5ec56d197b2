import { apply } from './apply.ts'
import { sameAsset } from './asset.ts'
import { explained } from './balance.ts'
import { accept, type Command, type Decision, type Rules } from './commands.ts'
import { confirmationsAt } from './confirmations.ts'
import type { Fact } from './facts.ts'
import { funding, quoteInForce } from './funding.ts'
import type { Order, Transfer } from './order.ts'
import { needsPrice, repriced } from './repricing.ts'
import { recipientIsPaid, runningSettlement } from './settling.ts'

export function arrived(
  order: Order,
  { transfers, head, quotes = [] }: Extract<Command, { type: 'arrived' }>,
  rules: Rules,
  now: number,
): Decision {
  const known = new Map(order.transfers.map((transfer) => [transfer.key, transfer]))
  const isExplained = explained(order)
  const moved: Fact[] = []
  const elsewhere: string[] = []
  const seen: Transfer[] = []
  for (const arrival of transfers) {
    const before = known.get(arrival.key)
    const isThere = before && before.state !== 'dropped'
    if (isThere && before.blockHash === arrival.blockHash) continue
    const { key, block, blockHash } = arrival
    if (isThere && (before.state === 'applied' || before.state === 'refunded')) {
      moved.push({ type: 'transfer_moved', key, block, blockHash })
      continue
    }
    if (!isThere && isExplained(arrival)) continue
    // In another block than before it is another sight of it: what was confirmed there is not confirmed here.
    if (isThere) elsewhere.push(key)
    seen.push({ ...arrival, seenAt: before?.seenAt ?? arrival.seenAt, state: 'seen', confirmations: confirmationsAt(arrival, head) })
  }
  const facts: Fact[] = [...moved]
  if (elsewhere.length > 0) facts.push({ type: 'transfers_dropped', keys: elsewhere })
  if (seen.length > 0) facts.push({ type: 'transfers_seen', transfers: seen })
  const again = new Set(elsewhere)
  const isNew = ({ key }: Transfer) => !again.has(key)
  for (const quote of quotes) {
    const late = seen.find((transfer) => isNew(transfer) && sameAsset(transfer.asset, quote.source))
    if (late && needsPrice(order, late.asset, late.seenAt)) facts.push(repriced(folded(order, facts, now), quote, rules, now))
  }
  const state = folded(order, facts, now)
  const keys = new Set(seen.map(({ key }) => key))
  return accept([...facts, ...confirmed(state, (transfer) => keys.has(transfer.key), now)])
}

const folded = (order: Order, facts: readonly Fact[], now: number): Order => facts.reduce((state, fact) => apply(state, fact, now), order)

/** Everything seen on a chain is as deep as its head says. */
export function progressed(order: Order, { chainId, head }: Extract<Command, { type: 'block' }>, now: number): readonly Fact[] {
  const isHere = (transfer: Transfer) => transfer.state === 'seen' && transfer.asset.chainId === chainId
  const isDeeper = (transfer: Transfer) => isHere(transfer) && confirmationsAt(transfer, head) > transfer.confirmations
  const facts: Fact[] = order.transfers.some(isDeeper) ? [{ type: 'transfers_progressed', chainId, head }] : []
  return [...facts, ...confirmed(folded(order, facts, now), isHere, now)]
}

/**
 * A transfer is confirmed once it has its chain's number of confirmations. Asked only of transfers whose blocks are known to be there: an
 * arrival vouches for its own, a block for all that did not vanish before it.
 */
function confirmed(order: Order, isThere: (transfer: Transfer) => boolean, now: number): readonly Fact[] {
  const deep = order.transfers.filter(
    (transfer) => transfer.state === 'seen' && transfer.confirmations >= transfer.needed && isThere(transfer),
  )
  if (deep.length === 0) return []
  const facts: Fact[] = [{ type: 'transfers_confirmed', keys: deep.map(({ key }) => key) }]
  const { source } = quoteInForce(order)
  const isCounted = deep.some(({ asset }) => sameAsset(asset, source))
  return isCounted && order.status === 'PARTIAL_PAYMENT' ? [...facts, ...stillPartial(order, facts, now)] : facts
}

/** PARTIAL_PAYMENT is announced again for every further deposit that does not complete the order. */
function stillPartial(order: Order, facts: readonly Fact[], now: number): readonly Fact[] {
  const { kept, enough, seen } = funding(facts.reduce((state, fact) => apply(state, fact, now), order))
  return kept + seen < enough ? [{ type: 'became', status: 'PARTIAL_PAYMENT' }] : []
}

/** The block is gone, and the money with it. What was sent on before was not that money: a final settlement proves its own. */
export function vanished(order: Order, keys: readonly string[]): readonly Fact[] {
  const named = new Set(keys)
  const gone = order.transfers.filter((transfer) => named.has(transfer.key) && transfer.state !== 'dropped').map(({ key }) => key)
  return gone.length > 0 ? [{ type: 'transfers_dropped', keys: gone }] : []
}

/** When a reorg took the money that had covered the order, no source has taken it any more, as if that had never been there. */
export function withRelease(order: Order, facts: readonly Fact[], now: number): readonly Fact[] {
  const after = folded(order, facts, now)
  if (facts.length === 0 || after.fixedQuote === undefined || runningSettlement(after) || recipientIsPaid(after)) return facts
  const { received, enough } = funding(after)
  return received < enough ? [...facts, { type: 'source_released' }] : facts
}
