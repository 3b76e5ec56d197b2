import { describedChains } from '../../../server/compose/described-chains.ts'
import { openapi } from '../../../server/reference/openapi.ts'
import type { Endpoint } from '../../../src/wire/endpoint.ts'
import { endpoints } from '../../../src/wire/endpoints.ts'
import { declarationOf, type Json, referencesIn, typeOf } from './schema-types.ts'

/**
 * Writes the typed client of the package from the API's description, which is made from the table of endpoints and the schemas that the
 * service validates with. So the client cannot know other operations or members than the service.
 */

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly { name: string; in: string; required: boolean; description?: string; schema: Json }[]
  readonly requestBody?: { required: boolean; content: { 'application/json': { schema: Json } } }
  readonly responses: Readonly<Record<string, { content?: { 'application/json': { schema: Json } } }>>
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

const head = '/** Written from the table of endpoints by test/reference/client.test.ts (TILL_CLIENT=write). Do not edit. */'

/** The names that releases before had for what a request contains. */
const bodyNames: Readonly<Record<string, string>> = { createOrder: 'NewOrder', refundOrder: 'NewRefund' }

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

function described(): { description: Description; operations: ReadonlyMap<string, Operation> } {
  const chains = describedChains({ chains: new Map() })
  const description = JSON.parse(JSON.stringify(openapi('https://pay.example/v3', 'https://pay.example', chains))) as Description
  const all = Object.values(description.paths).flatMap((methods) => Object.entries(methods))
  const operations = all.flatMap(([, operation]) => ('operationId' in operation ? [operation] : []))
  return { description, operations: new Map(operations.map((operation) => [operation.operationId, operation])) }
}

function queryOf({ parameters }: Operation): Json | undefined {
  const query = parameters.filter((parameter) => parameter.in === 'query')
  if (query.length === 0) return undefined
  return {
    type: 'object',
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

const isRequired = ({ required }: Json): boolean => Array.isArray(required) && required.length > 0

/** Lists the types of the API and the interface of the client. */
export function apiSource(): string {
  const { description, operations } = described()
  const named: string[] = []
  const methods: string[] = []
  const used = new Set<string>(['EventEnvelope'])
  const declare = (name: string, schema: Json, io: 'input' | 'output'): string => {
    for (const reference of referencesIn(schema)) used.add(reference)
    if (typeof schema.$ref === 'string') return typeOf(schema, io)
    named.push(declarationOf(name, schema, io))
    return name
  }
  for (const [id, endpoint] of Object.entries(endpoints as Readonly<Record<string, Endpoint>>)) {
    const operation = operations.get(id)
    if (!operation) throw new Error(`the description has no ${id}`)
    const body = operation.requestBody
    const query = queryOf(operation)
    const answer = operation.responses[String(endpoint.status)]?.content?.['application/json'].schema
    const given = [
      ...[...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => `${camel(name)}: string`),
      ...(body
        ? [
            `body${body.required ? '' : '?'}: ${declare(bodyNames[id] ?? `${capital(id)}Body`, body.content['application/json'].schema, 'input')}`,
          ]
        : []),
      ...(query ? [`query${isRequired(query) ? '' : '?'}: ${declare(`${capital(id)}Query`, query, 'input')}`] : []),
      'options?: CallOptions',
    ]
    const result = answer ? declare(`${capital(id)}Answer`, answer, 'output') : 'undefined'
    const about = [operation.summary, ...(operation.description ? [operation.description] : [])]
      .map((text) => text.replace(/\.$/, ''))
      .join('. ')
    methods.push(`  /** ${about}. */\n  ${id}(${given.join(', ')}): Promise<${result}>`)
  }
  for (const name of used) for (const reference of referencesIn(description.components.schemas[name] ?? {})) used.add(reference)
  const components = [...used].sort().map((name) => declarationOf(name, description.components.schemas[name] ?? {}, 'output'))
  return [
    head,
    `import type { CallOptions } from '../call-api.ts'`,
    ...components,
    ...named,
    `export interface Api {\n${methods.join('\n')}\n}`,
    '',
  ].join('\n\n')
}

/** Lists what the client sends, by the names of its methods. */
export function operationsSource(): string {
  const rows = Object.entries(endpoints as Readonly<Record<string, Endpoint>>).map(([id, endpoint]) => {
    const input = endpoint.body ? 'body' : endpoint.query ? 'query' : 'none'
    const signsBody = endpoint.auth === 'BODY-SIGNED' || endpoint.bodyMayBeSigned === true
    return `  ${id}: ['${endpoint.method}', '${endpoint.path}', '${input}'${signsBody ? ', true' : ''}],`
  })
  return [
    head,
    `import type { Method } from '../call-api.ts'\nimport type { Api } from './api.ts'`,
    "/** A method takes the ids of its path, then its body or query, then options. The signature of some covers the body. */\nexport type Operation = readonly [method: Method, path: string, input: 'body' | 'query' | 'none', signsBody?: boolean]",
    `export const operations: { readonly [N in keyof Api]: Operation } = {\n${rows.join('\n')}\n}\n`,
  ].join('\n\n')
}
