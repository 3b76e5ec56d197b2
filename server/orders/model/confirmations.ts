import type { ChainId } from '../../../src/wire/chain.ts'

/** A merchant may want payments on a chain to be deeper than the chain's own table says, by amount. */
export interface ConfirmationTable {
  readonly chainId: ChainId
  /** The steps ascend by amount, in the coin's smallest units, and the last one has no limit. */
  readonly steps: readonly { readonly below?: bigint; readonly blocks: number }[]
}

/** Returns how deep the merchant wants an amount of the chain's coin to be, or zero if he says nothing. */
export function wantedConfirmations(tables: readonly ConfirmationTable[] | undefined, chainId: ChainId, amount: bigint): number {
  const steps = tables?.find((table) => table.chainId === chainId)?.steps
  return steps?.find(({ below }) => below === undefined || amount < below)?.blocks ?? 0
}
