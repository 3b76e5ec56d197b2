declare const raw: unique symbol

/** A raw amount is in a currency's smallest units. The type does not say in which currency, so the caller has to know. */
export type Raw = bigint & { readonly [raw]: true }

export const toRaw = (value: bigint): Raw => {
  if (value < 0n) throw new RangeError('a negative amount')
  return value as Raw
}

export const maxDecimals = 36

const decimalShape = /^(0|[1-9]\d*)(?:\.(\d+))?$/

/** Turns '42.5' with 6 decimals into 42500000. Returns undefined if the text is not a plain decimal, or not a whole number of units. */
export const parseUnits = (text: string, decimals: number): Raw | undefined => {
  const match = decimalShape.exec(text)
  if (!match) return undefined
  const [, whole = '0', fraction = ''] = match
  const kept = fraction.slice(0, decimals)
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined
  return toRaw(BigInt(whole + kept.padEnd(decimals, '0')))
}

/** Turns 42500000 with 6 decimals into '42.5'. The decimal is exact and has no trailing zeros. */
export const formatUnits = (value: bigint, decimals: number): string => {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '')
  return sign + whole + (fraction && `.${fraction}`)
}

export const subtractToZero = (from: bigint, ...parts: readonly bigint[]): Raw => {
  const left = parts.reduce((rest, part) => rest - part, from)
  return toRaw(left > 0n ? left : 0n)
}
