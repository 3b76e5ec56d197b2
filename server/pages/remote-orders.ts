import * as z from 'zod/mini'
import { FoundCurrencyRead } from '../../src/wire/currency.ts'
import { ErrorResponse } from '../../src/wire/error.ts'
import { PaymentAnswerRead } from '../../src/wire/order-read.ts'
import { PaymentMethodListRead } from '../../src/wire/payment-methods.ts'
import { problemOfDetails } from '../../src/wire/problems.ts'
import { type OrderSource, type Reply, ServedOrder } from './order-source.ts'

export interface RemoteService {
  readonly baseUrl: string
  readonly apiKey: string
  readonly fetch?: (url: string, init: RequestInit) => Response | Promise<Response>
}

const timeoutMs = 10_000

const CurrencyList = z.object({ currencies: z.array(FoundCurrencyRead) })
const Found = z.object({ found: z.boolean(), message: z.catch(z.string(), ''), problem: z.catch(z.optional(z.string()), undefined) })

/** Calls another service that follows the specification, with the publishable key that browsers use as well. */
export function remoteOrders({ baseUrl, apiKey, fetch: ask = fetch }: RemoteService): OrderSource {
  const { origin } = new URL(baseUrl)
  const call = async <S extends z.ZodMiniType>(schema: S, url: string, body?: object): Promise<Reply<z.infer<S>>> =>
    read(schema, async () =>
      ask(url, {
        headers: { 'x-api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }),
    )
  return {
    order: (id) => call(ServedOrder, `${baseUrl}/orders/${id}`),
    async methods(id) {
      // The specification has this endpoint under /v2 at the service's origin.
      const reply = await call(PaymentMethodListRead, `${origin}/v2/pay-orders/${id}/payment-methods`)
      return reply.ok ? { ok: true, value: reply.value.methods } : reply
    },
    async currencies(id, query) {
      const reply = await call(CurrencyList, `${baseUrl}/search/currencies?${new URLSearchParams({ q: query, limit: '50', order_id: id })}`)
      return reply.ok ? { ok: true, value: reply.value.currencies } : reply
    },
    requestPayment: (id, request) => call(PaymentAnswerRead, `${baseUrl}/orders/${id}/payment`, request),
    findTransaction: (id, txHash) => call(Found, `${baseUrl}/orders/${id}/transactions`, { tx_hash: txHash }),
    keyFor: async () => apiKey,
  }
}

/** Never rejects: a call that fails or a response that does not match the schema is returned as a refusal. */
export async function read<S extends z.ZodMiniType>(schema: S, ask: () => Promise<Response>): Promise<Reply<z.infer<S>>> {
  let response: Response
  try {
    response = await ask()
  } catch {
    return { ok: false, status: 0 }
  }
  const json: unknown = await response.json().catch(() => undefined)
  if (!response.ok) {
    const error = z.safeParse(ErrorResponse, json)
    const { message, details } = error.success ? error.data : {}
    return {
      ok: false,
      status: response.status,
      message,
      problem: problemOfDetails(details),
      trace: typeof details === 'string' ? details : undefined,
    }
  }
  const parsed = z.safeParse(schema, json)
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, status: 502 }
}
