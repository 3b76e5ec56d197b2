import { createHash, createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import type { Endpoint } from '../../../src/wire/endpoint.ts'
import { endpoints } from '../../../src/wire/endpoints.ts'
import { ErrorResponse } from '../../../src/wire/error.ts'
import { readExactly } from './exact.ts'

/** An API client as a merchant's server would write it, with none of the service's code. */
export interface Client {
  readonly baseUrl: string
  readonly keys: Keys
  /** Calls an operation by its name. The response must fit its schema exactly, and a refusal is thrown. */
  ask<N extends Name>(name: N, sent?: Sent): Promise<AnswerOf<N>>
  /** Expects the call to be refused with this status and an ErrorResponse. */
  refused(name: Name, status: number, sent?: Sent): Promise<ErrorResponse>
  raw(method: string, path: string, request?: RawRequest): Promise<RawAnswer>
}

export interface Keys {
  readonly apiKey: string
  readonly secret: string
}

type Table = typeof endpoints
export type Name = keyof Table
export type AnswerOf<N extends Name> = Table[N] extends { answer: infer S extends z.ZodMiniType } ? z.output<S> : undefined

export interface Sent {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface RawRequest {
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  json(): unknown
}

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly answer: ErrorResponse,
  ) {
    super(`${status}: ${answer.message}`)
    this.name = 'Refused'
  }
}

export const now = (): string => String(Math.floor(Date.now() / 1000))

/** Implements the contract independently: METHOD + path + timestamp, and the body's digest where the body is signed. */
export function signature({ apiKey, secret }: Keys, method: string, path: string, timestamp = now(), body?: string | Uint8Array): string {
  const text = method + path + timestamp + (body === undefined ? '' : createHash('sha256').update(body).digest('hex'))
  return `APIKey=${apiKey},signature=${createHmac('sha256', secret).update(text).digest('hex')},timestamp=${timestamp}`
}

export const signedHeaders = (keys: Keys, method: string, path: string, timestamp?: string, body?: string | Uint8Array) => ({
  authorization: keys.apiKey,
  'authorization-signature': signature(keys, method, path, timestamp, body),
})

/** A KEY-OR-SIGNED operation is signed when it makes a SALE. */
function authHeaders(keys: Keys, { auth, method }: Endpoint, path: string, body: unknown): Record<string, string> {
  const isSale = typeof body === 'object' && body !== null && 'mode' in body && body.mode === 'SALE'
  if (auth === 'SIGNED' || (auth === 'KEY-OR-SIGNED' && isSale)) return signedHeaders(keys, method, path)
  if (auth === 'BODY-SIGNED') return signedHeaders(keys, method, path, undefined, JSON.stringify(body))
  return auth === 'PUBLIC' ? {} : { 'x-api-key': keys.apiKey }
}

export function createClient(baseUrl: string, keys: Keys): Client {
  const raw: Client['raw'] = async (method, path, { body, headers } = {}) => {
    const response = await fetch(baseUrl + path, { method, headers, body, redirect: 'manual' })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) as unknown }
  }
  const send = async (name: Name, { params = {}, query, body, headers }: Sent = {}) => {
    const endpoint: Endpoint = endpoints[name]
    const path = endpoint.path.replace(/:(\w+)/g, (_, param: string) => params[param] ?? '')
    const answer = await raw(endpoint.method, query ? `${path}?${new URLSearchParams(query)}` : path, {
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        ...authHeaders(keys, endpoint, path, body),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    return { endpoint, answer }
  }
  return {
    baseUrl,
    keys,
    raw,
    async ask(name, sent) {
      const { endpoint, answer } = await send(name, sent)
      if (answer.status !== endpoint.status) throw new Refused(answer.status, readExactly(ErrorResponse, answer.json()))
      return (endpoint.answer ? readExactly(endpoint.answer, answer.json()) : undefined) as never
    },
    async refused(name, status, sent) {
      const { endpoint, answer } = await send(name, sent)
      if (answer.status !== status)
        throw new Error(`${endpoint.method} ${endpoint.path} answered ${answer.status}, not ${status}: ${answer.text.slice(0, 500)}`)
      return readExactly(ErrorResponse, answer.json())
    },
  }
}
