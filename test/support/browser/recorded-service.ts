import { Hono } from 'hono'
import type { OrderRead } from '../../../src/wire/order-read.ts'
import { onWire, paymentMethods, recordedNow, usdcOnEthereum } from '../orders/orders.ts'

/** Serves recorded orders by an API, for tests of what the page shows rather than of what the service does. */
export function recordedService(
  orders: () => ReadonlyMap<string, OrderRead>,
  options: { methods?: unknown; currencies?: readonly unknown[]; clock?: () => number } = {},
) {
  const app = new Hono()
  const clock = options.clock ?? (() => recordedNow)
  app.use(async (c, next) => {
    await next()
    c.header('Date', new Date(clock()).toUTCString())
  })
  const error = (status: 404 | 422, message: string) => ({
    error: status === 404 ? 'Not Found' : 'Unprocessable Entity',
    message,
    code: status,
  })
  app.get('/v3/orders/:id', (c) => {
    const id = c.req.param('id')
    const order = orders().get(id)
    // The page asks for the order again by the id that it has.
    return order ? c.json({ ...(onWire(order) as object), id }) : c.json(error(404, 'There is no such order.'), 404)
  })
  app.get('/v2/pay-orders/:id/payment-methods', (c) => c.json({ methods: options.methods ?? paymentMethods }))
  app.get('/v3/search/currencies', (c) => c.json({ currencies: options.currencies ?? [usdcOnEthereum] }))
  app.post('/v3/orders/:id/payment', (c) => c.json(error(422, 'This token is not available here.'), 422))
  app.post('/v3/orders/:id/transactions', (c) => c.json({ found: false, message: 'No transfer with this hash was found.' }))
  return app
}
