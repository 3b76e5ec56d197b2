import { createHmac } from 'node:crypto'
import createClient, { type Middleware } from 'openapi-fetch'
import type { components, paths } from './api.ts'

/** A merchant's server written from openapi.json alone, with generated types and an openapi-fetch client. */

const { BASE_URL = '', API_KEY = '', API_SECRET = '' } = process.env
type Order = components['schemas']['Order']

const client = createClient<paths>({ baseUrl: BASE_URL })
const signing: Middleware = {
  onRequest({ request }) {
    const path = new URL(request.url).pathname.slice(new URL(BASE_URL).pathname.length)
    const timestamp = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', API_SECRET).update(`${request.method}${path}${timestamp}`).digest('hex')
    request.headers.set('Authorization', API_KEY)
    request.headers.set('Authorization-Signature', `APIKey=${API_KEY},signature=${signature},timestamp=${timestamp}`)
    return request
  },
}
client.use(signing)

const answered = <T>({ data, error }: { data?: T; error?: components['schemas']['ErrorResponse'] }): T => {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.message}`)
  return data
}

const sell = async (): Promise<object> => {
  const order: Order = answered(
    await client.POST('/orders', {
      params: { header: { 'Idempotency-Key': 'cart-1' } },
      body: {
        mode: 'SALE',
        amount: '42.50',
        fiat_unit: 'usd',
        metadata: { reference: 'NW-20418', cart: '1', items: [{ name: 'Beans', quantity: 1, unit_price: 42.5 }] },
      },
    }),
  )
  const path = { order_id: order.id }
  const { methods } = answered(await client.GET('/orders/{order_id}/payment-methods', { params: { path } }))
  const { chain_id, address } = order.fulfillment.asset
  const { data: payment } = answered(
    await client.POST('/orders/{order_id}/payment', {
      params: { path },
      body: { source: { payment_rail: 'CRYPTO', currency: { chain_id, address } } },
    }),
  )
  const step = payment.steps.find(({ kind }) => kind === 'deposit')
  if (step?.kind !== 'deposit') throw new Error('there is no address to pay to')
  const { deposit_address: to, amount, currency } = step.data
  return {
    id: order.id,
    status: order.status,
    reference: order.metadata.reference,
    methods: methods.map(({ method }) => method),
    to,
    amount,
    currency,
  }
}

const read = async (id: string): Promise<object> => {
  const order = answered(await client.GET('/orders/{order_id}', { params: { path: { order_id: id } } }))
  const { data } = answered(await client.GET('/orders', { params: { query: { status: 'COMPLETED', limit: 1 } } }))
  return { status: order.status, received: order.payment?.funding?.received_amount.ui, newest: data[0]?.id }
}

const mistake = async (): Promise<object> => {
  const { error, response } = await client.POST('/invoices', { body: { id: 'not an id' } })
  return { status: response.status, code: error?.code, details: error?.details }
}

const [, , command, id = ''] = process.argv
const run = { sell, mistake, read: () => read(id) }[command ?? '']
if (!run) throw new Error('sell, read or mistake')
console.log(JSON.stringify(await run()))
