import type { Context } from 'hono'
import * as z from 'zod/mini'
import type { FoundCurrencyRead } from '../../src/wire/currency.ts'
import { firstSearches } from '../../src/wire/first-searches.ts'
import { uniqueCurrencies } from '../../src/wire/unique-currencies.ts'
import type { PaymentMethodRead } from '../../src/wire/payment-methods.ts'
import { Id } from '../../src/wire/scalars.ts'
import { verifyTerms } from '../../src/wire/terms/verify-terms.ts'
import { payerCountry } from '../http/country.ts'
import type { PagesParts } from './pages-parts.ts'
import type { ServedOrder } from './order-source.ts'

export type Loaded =
  | { readonly is: 'order'; readonly order: ServedOrder; readonly methods: readonly PaymentMethodRead[] | undefined }
  | { readonly is: 'missing' }
  /** The order's terms do not say that its money reaches whom the page names. */
  | { readonly is: 'untrue' }
  /** The service did not answer, its response was not an order, or it was an error other than a missing order. */
  | { readonly is: 'down'; readonly reference: string | undefined }

/** Loads the order and its payment methods concurrently, since the service may be on another machine. */
export async function loadOrder(c: Context, { orders, log, factory }: PagesParts, id: string): Promise<Loaded> {
  // No service has an order with any other text as its id, so a call would be wasted.
  if (!z.safeParse(Id, id).success) return { is: 'missing' }
  const [order, methods] = await Promise.all([orders.order(id), orders.methods(id, payerCountry(c))])
  if (order.ok) {
    const checked = factory === undefined ? undefined : verifyTerms(order.value, factory)
    if (checked?.ok === false) {
      log.warn({ order: id, problem: checked.problem }, 'an order does not follow from its terms; showing no instructions')
      return { is: 'untrue' }
    }
    // 422 means that the order takes no more payments, and its status says why.
    return { is: 'order', order: order.value, methods: methods.ok ? methods.value : methods.status === 422 ? [] : undefined }
  }
  if (order.status === 404 || order.status === 400) return { is: 'missing' }
  log.warn({ order: id, status: order.status }, 'cannot read an order for its page; showing the page that retries')
  return { is: 'down', reference: order.trace }
}

/** Pictures need the order without its payment methods. The result is undefined if it cannot be read. */
export async function loadOrderAlone({ orders }: PagesParts, id: string): Promise<ServedOrder | undefined> {
  const order = z.safeParse(Id, id).success ? await orders.order(id) : undefined
  return order?.ok ? order.value : undefined
}

/** Lists currencies to choose from. A search that fails adds none, since the page works without them. */
export async function loadCurrencies({ orders }: PagesParts, order: ServedOrder, query: string | undefined): Promise<FoundCurrencyRead[]> {
  const replies = await Promise.all((query ? [query] : firstSearches(order)).map((search) => orders.currencies(order.id, search)))
  return uniqueCurrencies(replies.flatMap((reply) => (reply.ok ? reply.value : [])))
}
