import type { CostOf } from '../chain.ts'
import { feeFor, relayRate, virtualSize } from './transaction-size.ts'

/** Addresses are P2WPKH (22 bytes) or, at most, P2TR and P2WSH (34). */
const [ours, longest] = [22, 34]

/** A settlement or refund spends one payment. It pays the recipient and the fees, and returns the change. */
const sizes: Readonly<Record<CostOf, bigint>> = {
  settle: virtualSize(1, [longest, longest, ours]),
  refund: virtualSize(1, [longest, longest, ours]),
  receive: virtualSize(1, [ours, ours]),
}

export const bitcoinCost = (what: CostOf, rate: bigint): bigint => feeFor(sizes[what], rate)

/** The planned fee covers a payment in this many transfers at the lowest rate. */
const usualTransfers = 6

/**
 * Returns what a transaction has to keep for its own fee. Rates may rise between the quote and the settlement, and payers may pay in
 * several transfers, which no quote can foresee. What is not needed stays with the fee collector.
 */
export function plannedFee(rate: bigint, transfers = 1): bigint {
  const usual = (3n * feeFor(sizeOf(transfers), rate)) / 2n
  const least = feeFor(sizeOf(Math.max(transfers, usualTransfers)), relayRate)
  return usual > least ? usual : least
}

const sizeOf = (transfers: number): bigint => virtualSize(transfers, [longest, longest, ours])
