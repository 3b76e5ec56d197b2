import type { Auth } from '../../src/wire/endpoint.ts'
import type { Operation } from './schema.ts'

export interface Call {
  readonly method: string
  /** The path is relative to the API's base URL and contains values for its parameters. */
  readonly path: string
  readonly auth: Auth
  readonly body: object | undefined
  readonly headers: readonly string[]
}

/** Writes a call as a shell command that also computes its signature, from $KEY and $SECRET of the caller. */
export function curl(base: string, { method, path, auth, body, headers }: Call): string {
  const isSigned = auth === 'SIGNED' || auth === 'BODY-SIGNED' || (auth === 'KEY-OR-SIGNED' && body !== undefined)
  const coversBody = auth === 'BODY-SIGNED'
  const json = body === undefined ? undefined : JSON.stringify(body, null, 2)
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && json !== undefined) ? '' : `-X ${method} `}'${base}${path}'`,
    ...(auth === 'PUBLIC' ? [] : [isSigned ? '-H "Authorization: $KEY"' : '-H "X-API-KEY: $KEY"']),
    ...(isSigned ? ['-H "Authorization-Signature: APIKey=$KEY,signature=$SIG,timestamp=$TS"'] : []),
    ...headers.map((header) => `-H '${header}'`),
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json'`, coversBody ? '-d "$BODY"' : `-d '${json}'`]),
  ].join(' \\\n  ')
  if (!isSigned) return lines
  const signed = path.split('?')[0] ?? path
  const sign = (form: string, more: string) =>
    `SIG=$(printf '${method}${signed}${form}' ${more} | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)`
  if (!coversBody) return `TS=$(date +%s)\n${sign('%s', '"$TS"')}\n${lines}`
  const digest = `HASH=$(printf '%s' "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)`
  return `TS=$(date +%s) BODY='${json ?? ''}'\n${digest}\n${sign('%s%s', '"$TS" "$HASH"')}\n${lines}`
}

const inPath: Readonly<Record<string, string>> = {
  order_id: 'ord_5T0wq8m0V1yBzq4m5n3Zrw',
  payorder_id: 'ord_5T0wq8m0V1yBzq4m5n3Zrw',
  webhook_id: 'wh_1',
  invoice_id: 'inv_1',
  account_id: 'bank_local',
  api_key_id: 'key_1',
}
const inQuery: Readonly<Record<string, string>> = { q: 'usd', limit: '20' }
const inHeader: Readonly<Record<string, string>> = { 'Idempotency-Key': 'refund-NW-20418' }

export function callOf(method: string, path: string, auth: Auth, operation: Operation, body: object | undefined): Call {
  const query = operation.parameters.filter(({ in: where, name }) => where === 'query' && inQuery[name] !== undefined)
  const asked = query.map(({ name }) => `${name}=${inQuery[name]}`).join('&')
  return {
    method: method.toUpperCase(),
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => inPath[name] ?? name) + (asked && `?${asked}`),
    auth,
    body,
    headers: operation.parameters.flatMap(({ in: where, name, required }) =>
      where === 'header' && required && inHeader[name] !== undefined ? [`${name}: ${inHeader[name]}`] : [],
    ),
  }
}
