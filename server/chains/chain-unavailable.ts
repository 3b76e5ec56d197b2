export type ChainTrouble =
  /** No usable answer: nobody there, too slow, or an error where there should be a fact. */
  | 'chain_unavailable'
  /** Two answers that cannot both be true: the chain moved under the reader, or the nodes behind one URL disagree. */
  | 'chain_inconsistent'

/** The one way in which reading a chain fails. Nothing is known then; ask again later. */
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
