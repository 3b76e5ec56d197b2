export interface Block {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** The chain's clock counts Unix seconds, and may differ from ours. */
  readonly timestamp: number
}
