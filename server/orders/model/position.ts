/**
 * A place on a chain, as its feed reports it. The domain stores it, hands it back, and asks only whether two places are the same, or which of
 * two on one chain is the higher.
 */
export interface Position {
  readonly height: number
  readonly id: string
}

/** Facts have called the members of a position so since every chain was made of blocks. A transfer without a position has neither. */
export interface Placed {
  readonly block?: number
  readonly blockHash?: string
}

/** The confirmations of all transfers at the position with this id. */
export interface Progress {
  readonly id: string
  readonly confirmations: number
}

export const placedAt = (at: Position | undefined): Placed => (at ? { block: at.height, blockHash: at.id } : {})

export const positionOf = ({ block, blockHash }: Placed): Position | undefined =>
  block === undefined || blockHash === undefined ? undefined : { height: block, id: blockHash }

/** Returns a function that looks up a transfer's confirmations by its position, and answers zero for any other position. */
export function confirmationsBy(progress: readonly Progress[]): (transfer: Placed) => number {
  const byId = new Map(progress.map(({ id, confirmations }) => [id, confirmations]))
  return ({ blockHash }) => (blockHash === undefined ? 0 : (byId.get(blockHash) ?? 0))
}

/** The transfer is where its chain may include it at any time, and has no confirmations. */
export function withoutPlace<T extends Placed & { readonly confirmations: number }>(transfer: T): T {
  const { block: _block, blockHash: _blockHash, ...rest } = transfer
  return { ...(rest as T), confirmations: 0 }
}
