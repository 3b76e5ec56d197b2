import * as z from 'zod/mini'
import { CurrencyRead } from '../../src/wire/currency.ts'
import { firstSearches } from '../../src/wire/first-searches.ts'
import { uniqueCurrencies } from '../../src/wire/funds.ts'
import { ErrorResponse } from '../../src/wire/error.ts'
import { PaymentMethodListRead, type PaymentMethodRead } from '../../src/wire/payment-methods.ts'
import { problemOfDetails } from '../../src/wire/problems.ts'
import { Id } from '../../src/wire/scalars.ts'
import type { PagesParts } from './pages.ts'
import { ServedOrder } from './served-order.ts'

export type Loaded =
  | { readonly is: 'order'; readonly order: ServedOrder; readonly methods: readonly PaymentMethodRead[] | undefined }
  | { readonly is: 'missing' }
  /** The service does not answer, or with something that is no order. */
  | { readonly is: 'down'; readonly reference: string | undefined }

/** The order and the ways to pay it, asked for together. */
export async function loadOrder({ api, v2, keyFor, log }: PagesParts, id: string): Promise<Loaded> {
  // Every other text is no id of any service, and none of them is worth a call.
  if (!z.safeParse(Id, id).success) return { is: 'missing' }
  const [order, methods] = await Promise.all([
    read(ServedOrder, api(`/orders/${id}`)),
    read(PaymentMethodListRead, v2(`/v2/pay-orders/${id}/payment-methods`)),
  ])
  if (order.ok) {
    // 422: the order takes no payment any more, and its own status says so.
    return { is: 'order', order: order.value, methods: methods.ok ? methods.value.methods : methods.status === 422 ? [] : undefined }
  }
  if (order.status === 404 || order.status === 400) return { is: 'missing' }
  // No key opens an order that does not exist.
  if (order.status === 401 && (await keyFor(id)) === undefined) return { is: 'missing' }
  log.warn({ order: id, status: order.status }, 'the page could not read an order')
  return { is: 'down', reference: order.trace }
}

const Currencies = z.object({ currencies: z.array(CurrencyRead) })

/** What else can be paid with; nothing when the service does not tell. */
export async function loadCurrencies({ api }: PagesParts, query: string | undefined, symbol: string | undefined): Promise<CurrencyRead[]> {
  const answers = await Promise.all(
    (query ? [query] : firstSearches(symbol)).map((q) =>
      read(Currencies, api(`/search/currencies?${new URLSearchParams({ q, limit: '50' })}`)),
    ),
  )
  return uniqueCurrencies(answers.flatMap((answer) => (answer.ok ? answer.value.currencies : [])))
}

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false
      readonly status: number
      readonly message: string | undefined
      readonly problem?: string
      readonly trace: string | undefined
    }

/** One answer of the API through its schema; status 0: nobody answered. */
export async function read<S extends z.ZodMiniType>(schema: S, call: Promise<Response>): Promise<Read<z.infer<S>>> {
  let response: Response
  try {
    response = await call
  } catch {
    return { ok: false, status: 0, message: undefined, trace: undefined }
  }
  const json: unknown = await response.json().catch(() => undefined)
  if (!response.ok) {
    const error = z.safeParse(ErrorResponse, json)
    const details = error.success ? error.data.details : undefined
    return {
      ok: false,
      status: response.status,
      message: error.success ? error.data.message : undefined,
      problem: problemOfDetails(details),
      trace: typeof details === 'string' ? details : undefined,
    }
  }
  const parsed = z.safeParse(schema, json)
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, status: 502, message: undefined, trace: undefined }
}
