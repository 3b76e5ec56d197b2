import { applied } from './apply.ts'
import { sameAsset } from './asset.ts'
import { isExplainedBy } from './balance.ts'
import { accept, type Command, type Decision, type Arrival, type Policy, type Replaced } from './commands.ts'
import type { Fact } from './facts.ts'
import { funding, quoteInForce } from './funding.ts'
import type { Order, Transfer } from './order.ts'
import { isProceeds } from './proceeds.ts'
import { confirmationsBy, placedAt, positionOf } from './position.ts'
import { needsPrice, repriced } from './repricing.ts'
import { recipientIsPaid, runningSettlement } from './settling.ts'

export function arrived(
  order: Order,
  { transfers, replaced = [], quotes = [] }: Extract<Command, { type: 'arrived' }>,
  policy: Policy,
  now: number,
): Decision {
  const known = new Map(order.transfers.map((transfer) => [transfer.key, transfer]))
  const isExplained = isExplainedBy(order)
  const reincluded: Fact[] = []
  const elsewhere: string[] = []
  const again = new Set<string>()
  const seen: Transfer[] = []
  for (const arrival of transfers) {
    const before = known.get(arrival.key)
    const isRecorded = before && before.state !== 'dropped'
    const [at, wasAt] = [positionOf(arrival), before && positionOf(before)]
    if (isRecorded && wasAt?.id === at?.id) continue
    const { key } = arrival
    if (isRecorded && (before.state === 'applied' || before.state === 'refunded')) {
      reincluded.push({ type: 'transfer_moved', key, ...placedAt(at) })
      continue
    }
    if (!isRecorded && (isExplained(arrival) || isProceeds(order, arrival))) continue
    // The chain includes the transfer again elsewhere. Confirmations of the old position do not count, so it starts over.
    if (isRecorded && wasAt) elsewhere.push(key)
    if (isRecorded) again.add(key)
    const confirmations = Math.min(arrival.needed, arrival.confirmations)
    const seenAt = firstSight(before ?? replacedBy(order, replaced, arrival), arrival, policy)
    seen.push({ ...arrival, seenAt, state: 'seen', confirmations })
  }
  const facts: Fact[] = [...replacements(order, replaced), ...reincluded]
  if (elsewhere.length > 0) facts.push({ type: 'transfers_dropped', keys: elsewhere })
  if (seen.length > 0) facts.push({ type: 'transfers_seen', transfers: seen })
  const isNew = ({ key }: Transfer) => !again.has(key)
  for (const quote of quotes) {
    const late = seen.find((transfer) => isNew(transfer) && sameAsset(transfer.asset, quote.source))
    if (late && needsPrice(order, late.asset, late.seenAt)) facts.push(repriced(applied(order, facts, now), quote, policy, now))
  }
  const state = applied(order, facts, now)
  const keys = new Set(seen.map(({ key }) => key))
  const all = [...facts, ...confirmed(state, (transfer) => keys.has(transfer.key), now)]
  const losesMoney = replaced.length > 0 || seen.some((transfer) => positionOf(transfer) === undefined)
  return accept(losesMoney ? withRelease(order, all, now) : all)
}

/**
 * A payer who sent in time is not late because a block came late, or because his wallet has raised the fee. But a transfer that waits for longer
 * than the policy allows would hold a price for nothing, so it counts from when it is included.
 */
function firstSight(before: Pick<Transfer, 'seenAt'> | undefined, arrival: Arrival, { sightHoldsMs }: Policy): number {
  if (!before) return arrival.seenAt
  const isIncluded = positionOf(arrival) !== undefined
  return isIncluded && arrival.seenAt - before.seenAt > sightHoldsMs ? arrival.seenAt : before.seenAt
}

/** Returns a transfer of no more than this amount that the arrival's transaction has replaced. */
function replacedBy(order: Order, replaced: readonly Replaced[], arrival: Arrival): Transfer | undefined {
  const keys = new Set(replaced.filter(({ by }) => by === arrival.txHash).map(({ key }) => key))
  return order.transfers.find(
    ({ key, asset, amount, state }) => keys.has(key) && state !== 'dropped' && sameAsset(asset, arrival.asset) && amount <= arrival.amount,
  )
}

/** A transfer that was replaced never counts again, unless the chain includes it after all. */
function replacements(order: Order, replaced: readonly Replaced[]): readonly Fact[] {
  const isKnown = (key: string) => order.transfers.some((transfer) => transfer.key === key && transfer.state !== 'dropped')
  const known = replaced.filter(({ key }) => isKnown(key))
  return [...new Set(known.map(({ by }) => by))].map((by) => ({
    type: 'transfers_dropped',
    keys: known.filter((transfer) => transfer.by === by).map(({ key }) => key),
    replacedBy: by,
  }))
}

/** Records the confirmations of pending transfers at these positions, and confirms those that have enough. */
export function progressed(order: Order, { chainId, progress }: Extract<Command, { type: 'progress' }>, now: number): readonly Fact[] {
  const confirmationsOf = confirmationsBy(progress)
  const isStanding = (transfer: Transfer) =>
    transfer.state === 'seen' && transfer.asset.chainId === chainId && confirmationsOf(transfer) > 0
  const deeper = order.transfers.filter(
    (transfer) => isStanding(transfer) && Math.min(transfer.needed, confirmationsOf(transfer)) > transfer.confirmations,
  )
  const ids = new Set(deeper.map((transfer) => positionOf(transfer)?.id))
  const news = progress.filter(({ id }) => ids.has(id))
  const facts: Fact[] = news.length > 0 ? [{ type: 'transfers_progressed', chainId, progress: news }] : []
  return [...facts, ...confirmed(applied(order, facts, now), isStanding, now)]
}

/** Call it only for transfers that are known to be part of the chain: those just read, or those whose position its feed has checked. */
function confirmed(order: Order, isCandidate: (transfer: Transfer) => boolean, now: number): readonly Fact[] {
  const deep = order.transfers.filter(
    (transfer) => transfer.state === 'seen' && transfer.confirmations >= transfer.needed && isCandidate(transfer),
  )
  if (deep.length === 0) return []
  const facts: Fact[] = [{ type: 'transfers_confirmed', keys: deep.map(({ key }) => key) }]
  const { source } = quoteInForce(order)
  const isCounted = deep.some(({ asset }) => sameAsset(asset, source))
  return isCounted && order.status === 'PARTIAL_PAYMENT' ? [...facts, ...stillPartial(order, facts, now)] : facts
}

/** PARTIAL_PAYMENT is announced again when further deposits in its currency are confirmed and the order is still not covered. */
function stillPartial(order: Order, facts: readonly Fact[], now: number): readonly Fact[] {
  const { kept, enough, seen } = funding(applied(order, facts, now))
  return kept + seen < enough ? [{ type: 'became', status: 'PARTIAL_PAYMENT' }] : []
}

/** Drops transfers that a reorganisation removed, even those spent by a settlement, whose own outcome shows whether it survived. */
export function vanished(order: Order, keys: readonly string[]): readonly Fact[] {
  const named = new Set(keys)
  const gone = order.transfers.filter((transfer) => named.has(transfer.key) && transfer.state !== 'dropped').map(({ key }) => key)
  return gone.length > 0 ? [{ type: 'transfers_dropped', keys: gone }] : []
}

/** Releases the fixed source when the money that covered it is gone, unless a settlement is in flight or has paid the recipient. */
export function withRelease(order: Order, facts: readonly Fact[], now: number): readonly Fact[] {
  const after = applied(order, facts, now)
  if (facts.length === 0 || after.fixedQuote === undefined || runningSettlement(after) || recipientIsPaid(after)) return facts
  const { received, enough } = funding(after)
  return received < enough ? [...facts, { type: 'source_released', until: now }] : facts
}
