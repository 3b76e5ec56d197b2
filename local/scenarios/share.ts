/** A part of an amount, with the words for it. */
export interface Share {
  readonly text: string
  of(amount: bigint): bigint
}

/** Rounds up, so that a share which just counts does not fall below what counts. */
export const share = (text: string, bps: bigint): Share => ({ text, of: (amount) => (amount * bps + 9_999n) / 10_000n })

/** Reads `37%` or `37.5%`, within limits in hundredths of a percent. */
export function percent(text: string, { min, max }: { readonly min: bigint; readonly max: bigint }): Share | undefined {
  const [, whole, fraction = ''] = /^([1-9]\d{0,2})(?:\.(\d{1,2}))?%$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const bps = BigInt(whole + fraction.padEnd(2, '0'))
  return bps >= min && bps <= max ? share(text.replace('%', ' %'), bps) : undefined
}
