export type ChainTrouble =
  /** No usable answer: the node does not respond, is too slow, or returns an error where there should be data. */
  | 'chain_unavailable'
  /** Two answers contradict each other: the chain reorganised under the reader, or the nodes behind one URL disagree. */
  | 'chain_inconsistent'

/** The only error with which reading a chain fails. Nothing is known then; the caller retries later. */
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
