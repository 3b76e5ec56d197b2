import type { CostOf } from '../chain.ts'
import { feeFor, relayRate, virtualSize } from './transaction-size.ts'

/** Addresses are P2WPKH (22 bytes) or, at most, P2TR and P2WSH (34). */
const [ours, longest] = [22, 34]

/** A payment has one output, and a settlement pays the recipient, the fees, and what is left. */
const sizes: Readonly<Record<CostOf, bigint>> = {
  settle: virtualSize(1, [longest, longest, ours]),
  refund: virtualSize(1, [longest, longest, ours]),
  receive: virtualSize(1, [ours, ours]),
}

export const bitcoinCost = (what: CostOf, rate: bigint): bigint => feeFor(sizes[what], rate)

/** So many transfers can be passed on even at the lowest rate. */
const usualTransfers = 6

/**
 * Returns what a transaction has to keep for its own fee. Rates rise between the quote and the settlement, and payers may pay in several transfers,
 * of which a quote knows nothing. What is not needed stays with the fee collector.
 */
export function plannedFee(rate: bigint, transfers = 1): bigint {
  const usual = (3n * feeFor(sizeOf(transfers), rate)) / 2n
  const least = feeFor(sizeOf(Math.max(transfers, usualTransfers)), relayRate)
  return usual > least ? usual : least
}

const sizeOf = (transfers: number): bigint => virtualSize(transfers, [longest, longest, ours])
