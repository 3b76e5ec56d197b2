import type { Context } from 'hono'
import * as z from 'zod/mini'
import type { CurrencyRead } from '../../src/wire/currency.ts'
import { firstSearches } from '../../src/wire/currency.ts'
import { uniqueCurrencies } from '../../src/wire/funds.ts'
import type { PaymentMethodRead } from '../../src/wire/payment-methods.ts'
import { Id } from '../../src/wire/scalars.ts'
import { payerCountry } from '../http/country.ts'
import type { PagesParts } from './pages-parts.ts'
import type { ServedOrder } from './order-source.ts'

export type Loaded =
  | { readonly is: 'order'; readonly order: ServedOrder; readonly methods: readonly PaymentMethodRead[] | undefined }
  | { readonly is: 'missing' }
  /** The service does not answer, or what it answers is not an order. */
  | { readonly is: 'down'; readonly reference: string | undefined }

/** The order and the ways to pay it, loaded at the same time. */
export async function loadOrder(c: Context, { orders, log }: PagesParts, id: string): Promise<Loaded> {
  // Any other text is the id of no order in any service, so it is not worth a call.
  if (!z.safeParse(Id, id).success) return { is: 'missing' }
  const [order, methods] = await Promise.all([orders.order(id), orders.methods(id, payerCountry(c))])
  if (order.ok) {
    // 422: the order takes no payment any more, and its status says why.
    return { is: 'order', order: order.value, methods: methods.ok ? methods.value : methods.status === 422 ? [] : undefined }
  }
  if (order.status === 404 || order.status === 400) return { is: 'missing' }
  log.warn({ order: id, status: order.status }, 'cannot read an order for its page; showing the page that retries')
  return { is: 'down', reference: order.trace }
}

/** The order alone, where nobody asks how it can be paid; undefined when there is none to be had. */
export async function loadOrderAlone({ orders }: PagesParts, id: string): Promise<ServedOrder | undefined> {
  const order = z.safeParse(Id, id).success ? await orders.order(id) : undefined
  return order?.ok ? order.value : undefined
}

/** What else can be paid with; nothing when the service does not answer. */
export async function loadCurrencies(
  { orders }: PagesParts,
  query: string | undefined,
  symbol: string | undefined,
): Promise<CurrencyRead[]> {
  const replies = await Promise.all((query ? [query] : firstSearches(symbol)).map((search) => orders.currencies(search)))
  return uniqueCurrencies(replies.flatMap((reply) => (reply.ok ? reply.value : [])))
}
