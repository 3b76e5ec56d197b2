/** Why a transaction or a block is refused, in a real node's words. */
export interface Rejection {
  readonly reason: string
  readonly detail?: string
}

export const sentenceOf = ({ reason, detail }: Rejection): string => (detail ? `${reason}, ${detail}` : reason)
