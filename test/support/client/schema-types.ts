/** Writes JSON Schemas, as the API's description has them, as TypeScript. */

export type Json = Readonly<Record<string, unknown>>
type Io = 'input' | 'output'

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Later releases may add to these lists, so what is read may have other values. */
const open: readonly string[] = ['OrderStatus', 'OrderEvent']
/** An operator configures which of these there are, and programs often have one in a variable. */
const openEverywhere: Readonly<Record<string, string>> = { ChainID: 'number', FiatCurrency: 'string' }
/** In these a merchant stores strings of his own beside the members that are known. */
const withOwnStrings: readonly string[] = ['OrderMetadata', 'metadata', 'refund']

export function referencesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(referencesIn)
  if (!isObject(schema)) return []
  const own = typeof schema.$ref === 'string' ? [nameOf(schema.$ref)] : []
  return [...own, ...Object.entries(schema).flatMap(([key, part]) => (key === 'example' ? [] : referencesIn(part)))]
}

const nameOf = (reference: string): string => reference.split('/').at(-1) ?? ''

const comment = (text: unknown, indent: string): string =>
  typeof text === 'string' ? `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n` : ''

export function declarationOf(name: string, schema: Json, io: Io): string {
  const more = openEverywhere[name]
  const type = typeOf(schema, io, '', name) + (more === undefined ? '' : ` | (${more} & {})`)
  const isInterface = schema.type === 'object'
  return `${comment(schema.description, '')}export ${isInterface ? `interface ${name} ${type}` : `type ${name} = ${type}`}`
}

export function typeOf(schema: Json, io: Io, indent = '', name = ''): string {
  if (typeof schema.$ref === 'string') {
    const referred = nameOf(schema.$ref)
    return io === 'output' && open.includes(referred) ? `${referred} | (string & {})` : referred
  }
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(schema.enum)) return isFlag(schema.enum) ? 'boolean' : union(schema.enum.map(literal))
  const forms = schema.anyOf ?? schema.oneOf
  if (Array.isArray(forms)) return union(forms.map((form) => typeOf(form as Json, io, indent)))
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, io, indent, name)))
  switch (schema.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
      return 'number'
    case 'array': {
      const item = isObject(schema.items) ? typeOf(schema.items, io, indent) : 'unknown'
      return `readonly ${item.includes(' | ') && !item.startsWith('{') ? `(${item})` : item}[]`
    }
    case 'object':
      return objectOf(schema, io, indent, name)
    default:
      return 'unknown'
  }
}

/** A query has these as text. */
const isFlag = (values: readonly unknown[]): boolean => values.join() === 'true,false'

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value))
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

function objectOf({ properties, required, additionalProperties, propertyNames }: Json, io: Io, indent: string, ownName: string): string {
  const inner = `${indent}  `
  const needed = new Set(Array.isArray(required) ? required : [])
  const members = Object.entries(isObject(properties) ? properties : {}).map(([name, part]) => {
    const schema = part as Json
    const type = typeOf(schema, io, inner, name)
    return {
      type,
      line: `${comment(schema.description, inner)}${inner}readonly ${/^\w+$/.test(name) ? name : `'${name}'`}${needed.has(name) ? '' : '?'}: ${type}`,
    }
  })
  const lines = members.map(({ line }) => line)
  if (isObject(additionalProperties)) {
    const key = isObject(propertyNames) && Array.isArray(propertyNames.enum) ? typeOf(propertyNames, io) : 'string'
    if (withOwnStrings.includes(ownName))
      lines.push(
        `${inner}readonly [name: string]: ${union(['string', ...members.map(({ type }) => (/^(string|number)$/.test(type) ? type : 'object')), 'undefined'])}`,
      )
    else if (members.length === 0) lines.push(`${inner}readonly [name: ${key}]: ${typeOf(additionalProperties, io, inner)}`)
  }
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`
}
