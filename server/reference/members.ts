import { type Html, markup } from '../lib/markup.ts'
import { alternatives, nameOf, type Schema } from './schema.ts'

/** A pattern that is not listed here is shown as it is. */
const patternTexts: Readonly<Record<string, string>> = {
  '^(0|[1-9]\\d{0,77})$': 'a whole number, as text',
  '^(0|[1-9]\\d{0,77})(\\.\\d{1,36})?$': 'a decimal number, as text',
  '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F]*$': '',
  '^#[0-9a-fA-F]{6}$': 'a colour like #0f4c5c',
  '^[A-Za-z0-9]+(::[A-Za-z0-9_]+){0,2}$': 'an address',
  '^[A-Za-z0-9_-]{1,64}$': 'an id',
  '^[A-Za-z0-9]{32,128}$': 'the hash of a transaction',
}

/** A format describes a value better than its pattern does. */
const formatTexts: Readonly<Record<string, string>> = {
  'date-time': 'a time (ISO 8601)',
  date: 'a date like 2026-05-12',
  email: 'an e-mail address',
  uri: 'an address (URL)',
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  const high = most !== undefined && most < Number.MAX_SAFE_INTEGER ? most : undefined
  const low = least !== undefined && (least > 0 || (unit === '' && least > Number.MIN_SAFE_INTEGER)) ? least : undefined
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`
  if (high !== undefined) return `at most ${high}${unit}`
  return low === undefined ? undefined : `at least ${low}${unit}`
}

const limitsOf = (schema: Schema): string =>
  [
    schema.format !== undefined
      ? (formatTexts[schema.format] ?? schema.format)
      : schema.pattern && (patternTexts[schema.pattern] ?? schema.pattern),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minimum, schema.maximum, ''),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join(', ')

export function typeOf(schema: Schema): Html {
  const several = alternatives(schema)
  if (schema.$ref !== undefined) return markup`<a href="#type-${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`
  if (several) return joined(several.map(typeOf), ' or ')
  if (schema.const !== undefined) return markup`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) {
    const all = schema.enum.map((value) => markup`<code>${value}</code>`)
    return markup`one of ${joined(all, ', ')}`
  }
  if (schema.type === 'array' && schema.items) return markup`list of ${typeOf(schema.items)}`
  return markup`${schema.type ?? 'anything'}`
}

const joined = (all: readonly Html[], between: string): Html => ({ html: all.map((part) => part.html).join(between) })

export function row(name: string, schema: Schema, isRequired: boolean, about = schema.description): Html {
  const limits = limitsOf(schema)
  const optional = isRequired ? undefined : markup` <small>optional</small>`
  return markup`<li>
    <p><code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>${optional}</p>
    ${about ? markup`<p class="about">${about}</p>` : undefined}${limits ? markup`<p class="limits">${limits}</p>` : undefined}${inside(schema)}</li>`
}

export function members(schema: Schema): Html | undefined {
  const several = alternatives(schema)
  if (several) {
    const either = several.map(
      (alternative, at) => markup`<p class="either">${at === 0 ? 'either' : 'or'} ${typeOf(alternative)}</p>${members(alternative)}`,
    )
    return markup`${either}`
  }
  if (schema.type === 'array' && schema.items) return members(schema.items)
  if (!schema.properties) return undefined
  const rows = Object.entries(schema.properties).map(([name, member]) => row(name, member, schema.required?.includes(name) ?? false))
  return markup`<ul class="members">${rows}</ul>`
}

/** A referenced type is described in its own article, not again here. */
const inside = (schema: Schema): Html | undefined => (schema.$ref === undefined ? members(schema) : undefined)
