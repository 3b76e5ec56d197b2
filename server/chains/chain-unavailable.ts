export type ChainTrouble =
  /** The node does not respond, is too slow, or returns an error instead of data. */
  | 'chain_unavailable'
  /** Two answers contradict each other, because the chain was reorganised in between or the nodes behind one URL disagree. */
  | 'chain_inconsistent'

/** When a read of a chain fails with this error, nothing is known about the chain's state, and the caller retries later. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'

  constructor(
    readonly chainId: number,
    readonly code: ChainTrouble,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(`Chain ${chainId}: ${message}`, options)
  }
}
