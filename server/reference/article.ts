import type { Auth } from '../../src/wire/endpoint.ts'
import { endpoints, paymentMethodsV2 } from '../../src/wire/endpoints.ts'
import { callOf, curl } from './curl.ts'
import { examples } from './samples.ts'
import { type Html, markup } from '../lib/markup.ts'
import { members, row, typeOf } from './members.ts'
import { requests } from './requests.ts'
import type { Description, Operation, Schema } from './schema.ts'

const auths: Record<Auth, string> = {
  KEY: 'Key',
  'KEY-OR-SIGNED': 'Key or signed',
  SIGNED: 'Signed',
  'BODY-SIGNED': 'Body signed',
  PUBLIC: 'Public',
}

export interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** Operations that exist under two paths get distinct titles. */
export const titleOf = ({ path, operation }: Entry): string => operation.summary + (path.startsWith('/v2/') ? ' (under /v2)' : '')

export function article(description: Description, { method, path, operation }: Entry): Html {
  const id = operation.operationId
  const { auth } = id in endpoints ? endpoints[id as keyof typeof endpoints] : paymentMethodsV2
  const base = id in endpoints ? description.servers[0].url : new URL(description.servers[0].url).origin
  const call = callOf(method, path, auth, operation, requests[id as keyof typeof requests])
  const answered = successOf(operation).schema
  return markup`<article id="${id}">
    <h3>${titleOf({ method, path, operation })}</h3>
    <p class="call"><b class="method">${call.method}</b> <code>${path}</code> <a class="auth" href="#keys">${auths[auth]}</a></p>
    <div class="two">
      <div>${operation.description && markup`<p>${operation.description}</p>`}${parameters(operation)}${body(operation)}${answer(operation)}${errors(operation)}${headers(description, operation)}</div>
      <div><h4>Request</h4>${pre(curl(base, call), `Request: ${id}`)}${
        answered && markup`<h4>Answer</h4>${pre(json(examples[id in endpoints ? id : 'paymentMethods']), `Answer: ${id}`)}`
      }</div>
    </div></article>`
}

/** Responses link to the articles of the named types that they contain. */
export function typeArticle(name: string, schema: Schema, sample: unknown): Html {
  return markup`<article id="type-${name}"><h3>${name}</h3>${schema.description && markup`<p>${schema.description}</p>`}${members(schema) ?? markup`<p>${typeOf(schema)}</p>`}${
    schema.properties && sample !== undefined
      ? markup`<details><summary>Example</summary>${pre(json(sample), `Example: ${name}`)}</details>`
      : undefined
  }</article>`
}

function parameters({ parameters: all }: Operation): Html | undefined {
  if (all.length === 0) return undefined
  return markup`<h4>Parameters</h4><ul class="members">${all.map((parameter) => row(parameter.name, parameter.schema, parameter.required, parameter.description))}</ul>`
}

function body({ requestBody }: Operation): Html | undefined {
  if (!requestBody) return undefined
  return markup`<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${members(requestBody.content['application/json'].schema)}`
}

function successOf({ responses }: Operation) {
  const found = Object.entries(responses).filter(([code]) => code.startsWith('2'))
  return { statuses: found, schema: found[0]?.[1].content?.['application/json'].schema }
}

/** A single success status needs no explanation. */
function statusesOf({ statuses }: ReturnType<typeof successOf>): Html {
  if (statuses.length === 1) return markup`${statuses[0]?.[0]}`
  return markup`${statuses.map(([code, { description }], at) => markup`${at === 0 ? '' : ' '}<code>${code}</code> ${description}`)}`
}

function answer(operation: Operation): Html {
  const success = successOf(operation)
  const { schema } = success
  if (!schema) return markup`<h4>Answer</h4><p>${statusesOf(success)}, without a body</p>`
  return schema.$ref === undefined
    ? markup`<h4>Answer</h4><p>${statusesOf(success)}</p>${members(schema)}`
    : markup`<h4>Answer</h4><p>${statusesOf(success)}, ${typeOf(schema)}</p>`
}

function errors({ responses }: Operation): Html {
  const all = Object.entries(responses).filter(([code]) => Number(code) >= 400)
  return markup`<h4>Errors</h4><ul class="errors">${all.map(([code, { description }]) => markup`<li><code>${code}</code> ${description}</li>`)}</ul>`
}

/** Retry-After is left out, since the basics describe it once for every operation. */
function headers({ components }: Description, { responses }: Operation): Html | undefined {
  const carried = new Set(Object.values(responses).flatMap((response) => Object.keys(response.headers ?? {})))
  const own = Object.entries(components.headers).filter(([name]) => carried.has(name) && name !== 'Retry-After')
  if (own.length === 0) return undefined
  return markup`<h4>Headers of the answer</h4><ul class="members">${own.map(
    ([name, { description }]) => markup`<li><p><code class="name">${name}</code></p><p class="about">${description}</p></li>`,
  )}</ul>`
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** Code may be wider than a phone's screen, so it scrolls on its own and takes focus, for scrolling by keyboard. */
const pre = (text: string, label: string): Html => markup`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`
