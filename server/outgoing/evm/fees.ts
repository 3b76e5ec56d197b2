import type { Header } from '../../chains/evm/asks.ts'

export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Twice the base fee covers six full blocks in a row. */
export function marketFees(header: Header, priority: bigint): Fees {
  const maxPriorityFeePerGas = priority
  return { maxFeePerGas: (header.baseFeePerGas ?? 0n) * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

/** Nodes accept a replacement only when both fees rise by an eighth (Geth asks for 10 %, others for 12.5 %). */
export function replacementFees(previous: Fees, market: Fees): Fees | undefined {
  const raised = (old: bigint, now: bigint) => max(old + old / 8n + 1n, now)
  const fees = {
    maxFeePerGas: raised(previous.maxFeePerGas, market.maxFeePerGas),
    maxPriorityFeePerGas: raised(previous.maxPriorityFeePerGas, market.maxPriorityFeePerGas),
  }
  // At five times the market's price, something other than the fee keeps it from being mined.
  return fees.maxFeePerGas > market.maxFeePerGas * 5n + 1_000_000_000n ? undefined : fees
}

const max = (a: bigint, b: bigint) => (a > b ? a : b)
