export interface Receipt {
  readonly txHash: string
  readonly block: number
  readonly blockHash: string
  readonly ok: boolean
  readonly gasUsed: bigint
  readonly gasPrice: bigint
  /** Some rollups also charge for publishing their data. The receipt then shows this fee apart from gas. */
  readonly extraFee?: bigint
  readonly logs: readonly {
    readonly address: string
    readonly topics: readonly string[]
    readonly data: string
    readonly logIndex: number
  }[]
}
