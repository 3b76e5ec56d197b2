import type { Header } from '../rpc-calls.ts'

export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/**
 * The base fee rises by at most an eighth per block (EIP-1559), so twice the base fee is enough for five full blocks in a row. A node may name any
 * priority fee, and the operator pays it, so there is a most.
 */
export function marketFees(header: Header, priority: bigint, most: bigint): Fees {
  const maxPriorityFeePerGas = min(priority, most)
  return { maxFeePerGas: min((header.baseFeePerGas ?? 0n) * 2n + maxPriorityFeePerGas, most), maxPriorityFeePerGas }
}

/** Nothing at a fee of at most this could be mined now. */
export const isAboveMost = ({ baseFeePerGas }: Header, most: bigint): boolean => (baseFeePerGas ?? 0n) > most

/** Nodes accept a replacement only when both fees rise, by 10 % (Geth) or 12.5 % (others), so both rise by at least an eighth. */
export function replacementFees(previous: Fees, market: Fees, most: bigint): Fees | undefined {
  const raised = (old: bigint, now: bigint) => max(old + old / 8n + 1n, now)
  const fees = {
    maxFeePerGas: raised(previous.maxFeePerGas, market.maxFeePerGas),
    maxPriorityFeePerGas: raised(previous.maxPriorityFeePerGas, market.maxPriorityFeePerGas),
  }
  if (fees.maxFeePerGas > most) return undefined
  // At five times the market's fee, something other than the fee must keep the transaction from being mined.
  return fees.maxFeePerGas > market.maxFeePerGas * 5n + 1_000_000_000n ? undefined : fees
}

const max = (a: bigint, b: bigint) => (a > b ? a : b)
const min = (a: bigint, b: bigint) => (a < b ? a : b)
