import type { Header } from '../rpc-calls.ts'

export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** The base fee rises by at most an eighth per block (EIP-1559), so twice the base fee is enough for five full blocks in a row. */
export function marketFees(header: Header, priority: bigint): Fees {
  const maxPriorityFeePerGas = priority
  return { maxFeePerGas: (header.baseFeePerGas ?? 0n) * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

/** Nodes accept a replacement only when both fees rise, by 10 % (Geth) or 12.5 % (others), so both rise by at least an eighth. */
export function replacementFees(previous: Fees, market: Fees): Fees | undefined {
  const raised = (old: bigint, now: bigint) => max(old + old / 8n + 1n, now)
  const fees = {
    maxFeePerGas: raised(previous.maxFeePerGas, market.maxFeePerGas),
    maxPriorityFeePerGas: raised(previous.maxPriorityFeePerGas, market.maxPriorityFeePerGas),
  }
  // At five times the market's fee, something other than the fee must keep the transaction from being mined.
  return fees.maxFeePerGas > market.maxFeePerGas * 5n + 1_000_000_000n ? undefined : fees
}

const max = (a: bigint, b: bigint) => (a > b ? a : b)
