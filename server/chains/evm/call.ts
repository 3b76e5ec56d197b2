export interface Call {
  readonly to: string
  readonly data: string
  readonly value: bigint
}
