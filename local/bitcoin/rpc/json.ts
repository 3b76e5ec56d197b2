/** Writes JSON as a real node does. A bigint is an amount in satoshis, which is written in bitcoins with all eight digits. */
export function writeJson(value: unknown): string {
  if (typeof value === 'bigint') return writeAmount(value)
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(',')}}`
}

function writeAmount(amount: bigint): string {
  const digits = `${amount < 0n ? -amount : amount}`.padStart(9, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`
}
