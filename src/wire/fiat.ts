/** An amount of a fiat currency, as a plain decimal. */
export interface Fiat {
  readonly decimal: string
  readonly unit: string
}
