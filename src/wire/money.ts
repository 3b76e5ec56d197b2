declare const raw: unique symbol

/** An amount in a currency's smallest units. The type does not say which currency; the caller has to know. */
export type Raw = bigint & { readonly [raw]: true }

export const toRaw = (value: bigint): Raw => {
  if (value < 0n) throw new RangeError('an amount of money is never negative')
  return value as Raw
}

export const maxDecimals = 36

const decimalShape = /^(0|[1-9]\d*)(?:\.(\d+))?$/

/** '42.5' with 6 decimals → 42500000. Undefined if the text is not a plain decimal, or has more decimal places than the currency. */
export const parseUnits = (text: string, decimals: number): Raw | undefined => {
  const match = decimalShape.exec(text)
  if (!match) return undefined
  const [, whole = '0', fraction = ''] = match
  const kept = fraction.slice(0, decimals)
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined
  return toRaw(BigInt(whole + kept.padEnd(decimals, '0')))
}

/** The exact decimal, without trailing zeros: 42500000 with 6 decimals → '42.5'. */
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
