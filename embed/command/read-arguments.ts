import { parseArgs } from 'node:util'
import { type Option, UsageError } from './command.ts'

export interface Arguments {
  readonly operands: readonly string[]
  has(option: string): boolean
  valueOf(option: string): string | undefined
}

/** Throws a UsageError that names the first argument that is wrong, and what was expected in its place. */
export function readArguments(
  args: readonly string[],
  { name, options, mostOperands }: { readonly name: string; readonly options: readonly Option[]; readonly mostOperands: number },
): Arguments {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      options.map((option) => [option.name, { type: option.takes === undefined ? 'boolean' : 'string' } as const]),
    ),
  })
  const operands: string[] = []
  const values = new Map<string, string>()
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const option = options.find((known) => `--${known.name}` === token.rawName)
    if (!option) throw new UsageError(`${token.rawName} is not an option of "till ${name}", which takes ${listed(options)}.`)
    if (values.has(option.name)) throw new UsageError(`--${option.name} is given twice, and counts once.`)
    values.set(option.name, valueOf(option, token.value, token.inlineValue === true))
  }
  const surplus = operands[mostOperands]
  if (surplus !== undefined)
    throw new UsageError(
      mostOperands === 0
        ? `"${surplus}" is one too many: "till ${name}" takes only options (${listed(options)}).`
        : `"${surplus}" is one too many: "till ${name}" takes one at a time, and has "${operands[0]}".`,
    )
  return { operands, has: (option) => values.has(option), valueOf: (option) => values.get(option) }
}

function valueOf({ name, takes }: Option, value: string | undefined, isInline: boolean): string {
  if (takes === undefined) {
    if (value !== undefined) throw new UsageError(`--${name} takes no value, and has "${value}".`)
    return ''
  }
  // `--limit --json` lacks a number. Whoever means it writes `--limit=--json`.
  if (value === undefined || value === '' || (!isInline && value.startsWith('-')))
    throw new UsageError(`--${name} needs ${takes} behind it.`)
  return value
}

const listed = (options: readonly Option[]): string => options.map(({ name, takes }) => `--${name}${takes ? ` ${takes}` : ''}`).join(', ')

/** Reads the value of an option as a whole number, or throws a UsageError that says which ones are expected. */
export function wholeNumber(
  given: Arguments,
  option: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = given.valueOf(option)
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
  throw new UsageError(`--${option} must be a whole number from ${min} to ${max}, and is "${text}".`)
}
