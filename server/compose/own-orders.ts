import * as z from 'zod/mini'
import { CurrencySearchQuery, FoundCurrencyRead } from '../../src/wire/currency.ts'
import { FindTransactionRequest, PaymentRequest } from '../../src/wire/order.ts'
import { PaymentMethodRead } from '../../src/wire/payment-methods.ts'
import { problemOfDetails } from '../../src/wire/problems.ts'
import type { FindCurrencies } from '../currencies/currencies.ts'
import { notFound } from '../http/api-error.ts'
import type { Keys } from '../http/access.ts'
import { apiErrorFor } from '../http/on-error.ts'
import { parseOrRefuse } from '../http/parse-or-refuse.ts'
import type { Engine } from '../orders/engine.ts'
import type { Order } from '../orders/model/order.ts'
import { snapshot } from '../orders/model/snapshot.ts'
import { keyForOrder, orderById } from '../orders/order-queries.ts'
import { methodsFor } from '../orders/routes/payment-methods.ts'
import { requestPayment } from '../orders/routes/payment.ts'
import type { FindTransaction } from '../orders/routes/transactions.ts'
import { type OrderSource, type Reply, ServedOrder } from '../pages/order-source.ts'

export interface OwnOrdersParts {
  readonly engine: Engine
  readonly keys: Pick<Keys, 'find'>
  readonly findTransaction: FindTransaction
  readonly findCurrencies: FindCurrencies
}

/** Serves the hosted pages with the rights of the publishable key. An order whose organisation has no active key has no page. */
export function ownOrders({ engine, keys, findTransaction, findCurrencies }: OwnOrdersParts): OrderSource {
  const { sql, log } = engine
  const served = async (id: string): Promise<Order> => {
    const [order, key] = await Promise.all([orderById(sql, id), keyForOrder(sql, id)])
    if (!order || key === undefined) throw notFound('order')
    // A page view uses the key, and a merchant who looks for unused keys must see that.
    await keys.find(key)
    return order
  }
  const reply = async <T>(about: object, work: () => Promise<T>): Promise<Reply<T>> => {
    try {
      return { ok: true, value: await work() }
    } catch (error) {
      const { status, message, details } = apiErrorFor(error, log, about)
      const trace = typeof details === 'string' ? details : undefined
      return { ok: false, status, message, problem: problemOfDetails(details), trace }
    }
  }
  return {
    order: (id) => reply({ order: id }, async () => z.parse(ServedOrder, snapshot(await served(id)))),
    methods: (id, country) =>
      reply({ order: id }, async () => z.parse(z.array(PaymentMethodRead), await methodsFor(engine, await served(id), country))),
    currencies: (id, query) =>
      reply({ order: id, query }, async () => {
        const asked = parseOrRefuse(CurrencySearchQuery, { q: query, limit: '50' }, 'query')
        const order = await served(id)
        return z.parse(z.array(FoundCurrencyRead), await findCurrencies(asked, { isLive: order.isLive, order }))
      }),
    requestPayment: (id, request) =>
      reply({ order: id }, async () => requestPayment(engine, await served(id), parseOrRefuse(PaymentRequest, request, 'body'))),
    findTransaction: (id, txHash) =>
      reply({ order: id }, async () =>
        findTransaction(await served(id), parseOrRefuse(FindTransactionRequest, { tx_hash: txHash }, 'body')),
      ),
    keyFor: (id) => keyForOrder(sql, id),
  }
}
