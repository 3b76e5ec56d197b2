import { subtractToZero } from '../../../src/wire/money.ts'
import { type Asset, distinctAssets, sameAsset } from './asset.ts'
import { payeesOf } from './destination.ts'
import type { Fact } from './facts.ts'
import { feeCap } from './fee-cap.ts'
import { atDeposit, conversionLeft, funding, nextSettlementId } from './funding.ts'
import { isMovable, isRefundable } from './movable.ts'
import { isSettled, moveTo, type Reaction } from './status.ts'
import type { Conversion, Order, PlannedLeg, Settlement, Transfer } from './order.ts'
import { convertsAnything, leastOutput, type Quote, totalFees } from './quote.ts'
import { ceilDiv } from './rate.ts'

export const runningSettlement = (order: Order): Settlement | undefined =>
  order.settlements.find((settlement) => settlement.state === 'planned' || settlement.state === 'broadcast' || settlement.state === 'mined')

/** Sums what the legs of this role have paid in the asset. */
export const legsPaid = (order: Order, role: PlannedLeg['role'], asset: Asset): bigint =>
  order.settlements
    .filter(({ token }) => sameAsset(token, asset))
    .flatMap((settlement) => settlement.legs.filter((leg, index) => leg.role === role && settlement.paid?.[index]))
    .reduce((total, leg) => total + leg.amount, 0n)

/** A settlement of ours pays all that is still due. */
export const paysRecipient = ({ state, paid, isForeign }: Settlement): boolean => state === 'confirmed' && paid?.[0] === true && !isForeign

/** Returns what the next settlement that converts nothing can pay out. */
const toSettle = (order: Order, { source, asset }: Quote): bigint =>
  sameAsset(source, asset) ? atDeposit(order, source) : least(conversionLeft(order, asset), atDeposit(order, asset))

export const recipientIsPaid = (order: Order): boolean => order.settlements.some(paysRecipient) || othersPaidRecipient(order)

/**
 * What others have moved may be only a part of what is due, which our next settlement then completes. It is all that the recipient will get
 * if nothing is left to settle, because a fee of theirs may have been higher than ours.
 */
function othersPaidRecipient(known: Order): boolean {
  const moved = known.settlements.filter(({ isForeign, state }) => isForeign && state === 'confirmed')
  if (!moved.some(({ legs }) => legs.some(({ role, amount }) => role === 'recipient' && amount > 0n))) return false
  if (known.terms.refundOf?.fromDeposit || known.supersededBy !== undefined) return false
  // A settlement of ours that is in flight moves nothing if others were faster.
  const running = runningSettlement(known)
  const order = { ...known, settlements: known.settlements.filter((settlement) => settlement !== running) }
  // The books are behind the chain until the payments that were moved are confirmed.
  if (distinctAssets(moved.map(({ token }) => token)).some((token) => atDeposit(order, token) < 0n)) return false
  const { quote, kept, enough } = funding(order)
  const paid = legsPaid(order, 'recipient', quote.asset)
  if (paid >= quote.output) return true
  const isCovered = kept >= enough && kept > 0n
  if (isCovered) return toSettle(order, quote) <= 0n && atDeposit(order, quote.source) <= 0n
  const tolerated = (quote.output * BigInt(order.terms.toleranceBps)) / 10_000n
  return paid > 0n && paid >= quote.output - tolerated
}

/** Returns whether the order is COMPLETED by this settlement alone, and so is not once a reorganisation has undone it. */
export function isCompletedBy(order: Order, settlement: Settlement): boolean {
  const settlements = order.settlements.filter((other) => other !== settlement)
  return order.status === 'COMPLETED' && !recipientIsPaid({ ...order, settlements })
}

/** Without terms nothing moves money, and without a guard nothing is converted. */
export function isSendable(order: Order, quote: Quote): boolean {
  const isConversion = convertsAnything(quote) && toSettle(order, quote) <= 0n
  return (isConversion ? isRefundable : isMovable)(order, quote.source.chainId)
}

/** Plans one settlement at a time. A second one follows only if the first has provably not paid the recipient, and fees are paid once. */
export const planSettlement: Reaction = (order) => {
  if (order.status !== 'EXECUTING_ORDER' || runningSettlement(order) || recipientIsPaid(order) || order.terms.refundOf?.fromDeposit)
    return []
  const { quote } = funding(order)
  const isConverting = convertsAnything(quote)
  const available = toSettle(order, quote)
  if (!isSendable(order, quote)) return moveTo(order.status, 'FAILED')
  const owed = feesOwed(order, quote)
  if (available <= 0n) return isConverting ? planConversion(order, quote, owed) : []
  const due = subtractToZero(quote.output, legsPaid(order, 'recipient', quote.asset)) + owed
  // Others have paid all of it, with money whose arrival is not confirmed yet.
  if (due <= 0n) return []
  // All that a conversion has yielded is the recipient's, and of anything else the surplus is the payer's.
  return [planned(order, quote, isConverting ? available : least(available, due), owed)]
}

const feesOwed = (order: Order, { fees, asset }: Quote): bigint => subtractToZero(totalFees(fees), legsPaid(order, 'fees', asset))

/**
 * The fees are at most what the terms allow, and the recipient gets the difference. The merchant bears the gas of a failed refund, so less than
 * the fees may be left, of which the recipient gets at least one smallest unit.
 */
function planned(order: Order, quote: Quote, moved: bigint, owed: bigint, swap?: Conversion): Fact {
  const { recipient, feeCollector } = payeesOf(order.terms, quote)
  const fees = least(owed, subtractToZero(moved, 1n), feeCap(order, quote.asset, moved))
  const legs: PlannedLeg[] = [{ role: 'recipient', to: recipient, amount: moved - fees }]
  if (fees > 0n) legs.push({ role: 'fees', to: feeCollector, amount: fees })
  const spent = order.transfers.filter(
    (transfer) => (transfer.state === 'confirmed' || transfer.state === 'held') && sameAsset(transfer.asset, quote.source),
  )
  return {
    type: 'settlement_planned',
    id: nextSettlementId(order),
    token: quote.asset,
    ...(swap && { swap }),
    legs,
    transfers: spent.map((transfer) => transfer.key),
  }
}

const least = (first: bigint, ...others: readonly bigint[]): bigint => others.reduce((a, b) => (a < b ? a : b), first)

/**
 * Converts the amount due in the source. It must yield what the recipient and the fees are owed, or nothing happens. Money beyond that
 * amount is not converted. A conversion that succeeded while the recipient was not paid is not repeated.
 */
function planConversion(order: Order, quote: Quote, owed: bigint): readonly Fact[] {
  const due = leastOutput(quote) + owed
  const available = atDeposit(order, quote.source)
  const amountIn = available < quote.input.total ? available : quote.input.total
  if (amountIn <= 0n) return []
  // Less may have arrived within the merchant's tolerance, so the expected output shrinks in proportion, and is rounded up.
  const minOut = ceilDiv(due * amountIn, quote.input.total)
  return [planned(order, quote, minOut, owed, { source: quote.source, amountIn, minOut })]
}

/** Once the recipient was paid, the transfers of that settlement are applied and the order is completed. */
export const complete: Reaction = (order) => {
  if (isSettled(order) || !recipientIsPaid(order)) return []
  const paid = order.settlements.find(paysRecipient)
  const spent = new Set(paid?.transfers)
  const { source } = funding(order).quote
  const isUnapplied = ({ key, state, asset }: Transfer) =>
    (paid ? spent.has(key) : sameAsset(asset, source)) && (state === 'confirmed' || state === 'held')
  const keys = order.transfers.filter(isUnapplied).map(({ key }) => key)
  const applied: Fact[] = keys.length > 0 ? [{ type: 'transfers_applied', keys }] : []
  const path = order.status === 'EXECUTING_ORDER' ? [] : moveTo(order.status, 'EXECUTING_ORDER')
  return [...applied, ...path, { type: 'became', status: 'COMPLETED' }]
}
