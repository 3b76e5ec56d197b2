/** The lower of the two in the middle where their number is even. */
export const median = (values: readonly bigint[]): bigint | undefined =>
  values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor((values.length - 1) / 2)]
