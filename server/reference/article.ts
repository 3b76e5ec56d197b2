import { type Auth, endpoints, paymentMethodsV2 } from '../../src/wire/endpoints.ts'
import { callOf, curl } from './curl.ts'
import { exampleOf } from './exampleOf.ts'
import { type Html, markup } from './markup.ts'
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

export interface Place {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** What stands under two paths is told apart. */
export const titleOf = ({ path, operation }: Place): string => operation.summary + (path.startsWith('/v2/') ? ' (under /v2)' : '')

/** One operation: what it takes and answers, and beside it what that looks like. */
export const article = (description: Description, { method, path, operation }: Place): Html => {
  const id = operation.operationId
  const { auth } = id in endpoints ? endpoints[id as keyof typeof endpoints] : paymentMethodsV2
  const base = id in endpoints ? description.servers[0].url : new URL(description.servers[0].url).origin
  const call = callOf(method, path, auth, operation, requests[id as keyof typeof requests])
  const answered = successOf(operation).schema
  return markup`<article id="${id}">
    <h3>${titleOf({ method, path, operation })}</h3>
    <p class="call"><b class="method">${call.method}</b> <code>${path}</code> <a class="auth" href="#keys">${auths[auth]}</a></p>
    <div class="two">
      <div>${parameters(operation)}${body(operation)}${answer(operation)}${errors(operation)}</div>
      <div><h4>Request</h4>${pre(curl(base, call), `Request: ${id}`)}${
        answered && markup`<h4>Answer</h4>${pre(json(exampleOf(description, answered)), `Answer: ${id}`)}`
      }</div>
    </div></article>`
}

/** One type by its name, as the answers refer to it. */
export const typeArticle = (description: Description, name: string, schema: Schema): Html => {
  const example = pre(json(exampleOf(description, schema)), `Example: ${name}`)
  return markup`<article id="type-${name}"><h3>${name}</h3>${members(schema) ?? markup`<p>${typeOf(schema)}</p>`}${
    schema.properties && markup`<details><summary>Example</summary>${example}</details>`
  }</article>`
}

const parameters = ({ parameters: all }: Operation): Html | undefined => {
  if (all.length === 0) return undefined
  return markup`<h4>Parameters</h4><ul class="members">${all.map((one) => row(one.name, one.schema, one.required))}</ul>`
}

const body = ({ requestBody }: Operation): Html | undefined => {
  if (!requestBody) return undefined
  return markup`<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${members(requestBody.content['application/json'].schema)}`
}

const successOf = ({ responses }: Operation) => {
  const [status = '', found] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  return { status, schema: found?.content?.['application/json'].schema }
}

const answer = (operation: Operation): Html => {
  const { status, schema } = successOf(operation)
  if (!schema) return markup`<h4>Answer</h4><p>${status}, without a body</p>`
  return schema.$ref === undefined
    ? markup`<h4>Answer</h4><p>${status}</p>${members(schema)}`
    : markup`<h4>Answer</h4><p>${status}, ${typeOf(schema)}</p>`
}

const errors = ({ responses }: Operation): Html => {
  const all = Object.entries(responses).filter(([code]) => Number(code) >= 400)
  return markup`<h4>Errors</h4><ul class="errors">${all.map(([code, { description }]) => markup`<li><code>${code}</code> ${description}</li>`)}</ul>`
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** Wider than a phone: it scrolls by itself, also by keyboard. */
const pre = (text: string, label: string): Html => markup`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`
