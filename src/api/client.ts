import * as z from 'zod/mini'
import { FoundCurrencyRead, type CurrencyBase } from '../wire/currency.ts'
import { ErrorRead } from '../wire/error.ts'
import { HoldingListRead, type HoldingRead } from '../wire/holding.ts'
import { OrderRead, PaymentAnswerRead } from '../wire/order-read.ts'
import { PaymentMethodListRead, type PaymentMethodRead } from '../wire/payment-methods.ts'
import { problemOfDetails } from '../wire/problems.ts'
import { uniqueCurrencies } from '../wire/unique-currencies.ts'
import { ApiError } from './api-error.ts'

export interface ClientPorts {
  readonly fetch: typeof fetch
  /** This is the API's {base_url}, without a trailing slash. */
  readonly base: string
  readonly key: string
  /** Receives the service's time from responses whose Date header the browser may read, except from those to `post`. */
  readonly onDate: (now: number) => void
  /** Resolves to the sentence for a problem code in the payer's language, or to undefined for a code that this page does not know. */
  readonly translate: (problem: string) => Promise<string | undefined>
}

export interface PaymentRequest {
  readonly currency: { readonly chain_id: number; readonly address: string | null }
  readonly refundAddress?: string
  /** The address is for money that has arrived, so no payment is asked for. */
  readonly isAlone?: boolean
  readonly extend?: boolean
  /** FIAT pays by card. Without it the payer sends a token or coin. */
  readonly rail?: 'FIAT'
}

/** Each call parses its response, and turns a refusal or a missing answer into an ApiError. Only `post` does neither. */
export interface Client {
  order(id: string, signal?: AbortSignal): Promise<OrderRead>
  methods(id: string, signal?: AbortSignal): Promise<readonly PaymentMethodRead[]>
  requestPayment(id: string, ask: PaymentRequest, signal?: AbortSignal): Promise<void>
  currencies(id: string, queries: readonly string[], signal?: AbortSignal): Promise<readonly FoundCurrencyRead[]>
  /** What an account of an EVM wallet holds on these chains that could pay the order. */
  holdings(id: string, account: string, chainIds: readonly number[], signal?: AbortSignal): Promise<readonly HoldingRead[]>
  findTransaction(id: string, hash: string, signal?: AbortSignal): Promise<{ found: boolean; message: string }>
  /** `post` does not send the key by itself. */
  readonly key: string
  /** Returns the unparsed response whatever its status, for a method that has its own protocol (x402). */
  post(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal, body?: object): Promise<Response>
}

const Found = z.object({ found: z.boolean(), message: z.catch(z.string(), ''), problem: z.catch(z.optional(z.string()), undefined) })
const Currencies = z.object({ currencies: z.array(FoundCurrencyRead) })
const mostHoldings = 50
const timeoutMs = 15_000

const limited = (signal: AbortSignal | undefined): AbortSignal => {
  const limit = AbortSignal.timeout(timeoutMs)
  return signal && 'any' in AbortSignal ? AbortSignal.any([signal, limit]) : limit
}

export const createClient = ({ fetch, base, key, onDate, translate }: ClientPorts): Client => {
  const translated = async (problem: string | undefined, sentence: string) =>
    (problem && (await translate(problem).catch(() => undefined))) || sentence
  const send = (url: string, method: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal, body?: unknown) =>
    fetch(url, { method, headers, body: JSON.stringify(body), signal: limited(signal), credentials: 'omit', cache: 'no-store' })
  const call = async <S extends z.ZodMiniType>(
    schema: S,
    path: string,
    signal?: AbortSignal,
    body?: unknown,
    root = base,
  ): Promise<z.infer<S>> => {
    const isGet = body === undefined
    const headers = { 'X-API-KEY': key, ...(isGet ? {} : { 'Content-Type': 'application/json' }) }
    const response = await send(root + path, isGet ? 'GET' : 'POST', headers, signal, body).catch((cause: unknown) => {
      throw new ApiError(0, 'The service did not answer.', { cause })
    })
    const date = Date.parse(response.headers.get('Date') ?? '')
    if (!Number.isNaN(date)) onDate(date)
    const json: unknown = await response.json().catch(() => undefined)
    if (!response.ok) {
      const said = z.safeParse(ErrorRead, json)
      const message = said.success ? await translated(problemOfDetails(said.data.details), said.data.message) : response.statusText
      throw new ApiError(response.status, message, {
        retryAfterSeconds: Number(response.headers.get('Retry-After')) || undefined,
      })
    }
    const parsed = z.safeParse(schema, json)
    if (!parsed.success) throw new ApiError(response.status, 'The service sent an unexpected answer.', { cause: parsed.error })
    return parsed.data
  }
  const at = (id: string) => `/orders/${encodeURIComponent(id)}`
  return {
    order: (id, signal) => call(OrderRead, at(id), signal),
    methods: async (id, signal) => {
      const path = `/v2/pay-orders/${encodeURIComponent(id)}/payment-methods`
      const { methods } = await call(PaymentMethodListRead, path, signal, undefined, new URL(base).origin)
      return Promise.all(methods.map(async (method) => ({ ...method, reason: await translated(method.problem, method.reason ?? '') })))
    },
    requestPayment: async (id, { currency, refundAddress, isAlone, extend, rail }, signal) => {
      const source = isAlone ? undefined : { currency: currency as CurrencyBase, payment_rail: rail ?? 'CRYPTO' }
      const refund_chain_id = isAlone ? currency.chain_id : undefined
      await call(PaymentAnswerRead, `${at(id)}/payment`, signal, { source, refund_address: refundAddress, refund_chain_id, extend })
    },
    currencies: async (id, queries, signal) => {
      const answers = await Promise.all(
        queries.map((q) =>
          call(Currencies, `/search/currencies?limit=50&order_id=${encodeURIComponent(id)}&q=${encodeURIComponent(q)}`, signal),
        ),
      )
      return uniqueCurrencies(answers.flatMap((answer) => answer.currencies))
    },
    holdings: async (id, address, chain_ids, signal) => {
      const filter = { wallet: { address, chain_type: 'EVM', chain_ids }, limit: mostHoldings }
      const { options } = await call(HoldingListRead, `${at(id)}/quotes`, signal, { filter })
      return options.flatMap((option) => option ?? [])
    },
    findTransaction: async (id, hash, signal) => {
      const { found, message, problem } = await call(Found, `${at(id)}/transactions`, signal, { tx_hash: hash })
      return { found, message: await translated(problem, message) }
    },
    key,
    post: (path, headers, signal, body) => send(base + path, 'POST', headers, signal, body),
  }
}
