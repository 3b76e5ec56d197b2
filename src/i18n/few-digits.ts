const significant = 4
const places = 2

/** Nobody compares eight digits in a list. They are rounded up, so that no screen asks for more than the list has said. */
export const fewDigits = (raw: bigint, decimals: number): bigint => {
  const dropped = Math.min(raw.toString().length - significant, decimals - places)
  const unit = 10n ** BigInt(Math.max(0, dropped))
  return ((raw + unit - 1n) / unit) * unit
}
