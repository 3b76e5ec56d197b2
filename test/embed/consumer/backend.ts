import {
  checkWebhook,
  createTill,
  type Order,
  TillError,
  verifyWebhook,
  WebhookError,
  type WebhookProblem,
} from '@till-pay/checkout/server'
import { type OrderProblem, verifyOrder } from '@till-pay/checkout/verify'

const till = createTill({ apiKey: 'pk', apiSecret: 'sk', baseUrl: 'https://pay.example/v3' })
export const make = () =>
  till.createOrder(
    { mode: 'SALE', amount: '42.50', fiat_unit: 'usd', settings: { embed_origins: ['https://shop.example'] } },
    { idempotencyKey: 'cart-1' },
  )
export const hook = async (body: string, header: string | undefined) => {
  const checked = await checkWebhook(body, header, 'whsec')
  // @ts-expect-error a forged webhook has no event
  void checked.event.order
  if (!checked.ok) return checked.error.code === 'wrong_signature'
  return checked.event.order.status === 'COMPLETED'
}
export const orThrow = async (body: string): Promise<Order | WebhookProblem> =>
  verifyWebhook(body, undefined, 'whsec', { maxAgeSeconds: 300 }).then(
    ({ order }) => order,
    (error: unknown) => {
      if (error instanceof WebhookError) return error.code
      throw error
    },
  )
// @ts-expect-error a parsed body is not what was signed
void (() => verifyWebhook({ event: 'ORDER_COMPLETED' }, undefined, 'whsec'))

/** An order is known to the last member. */
export const facts = ({ fulfillment, metadata, payment, price, terms }: Order) => {
  const recipient: string = fulfillment.recipient
  const amount: string = price.amount
  const reference: string | undefined = metadata.reference
  const step = payment?.steps[0]
  const deposit: string | undefined = step?.kind === 'deposit' ? step.data.deposit_address : undefined
  const received: string | undefined = payment?.funding?.received_amount.raw
  const guard: string | undefined = terms?.guard
  // @ts-expect-error there is no such member
  void payment?.paid
  return { recipient, amount, reference, deposit, received, guard }
}

/** The client has every operation. */
export const operate = async () => {
  const { data, pagination } = await till.listOrders({ reference: 'NW-1', status: 'COMPLETED', limit: 5 })
  const total: number = pagination.total_count
  const { id, secret } = await till.createWebhook({ url: 'https://shop.example/till', events: ['ORDER_COMPLETED'] })
  const { data: failed } = await till.listDeliveries(id, { state: 'failed' })
  for (const delivery of failed) await till.resendDelivery(id, delivery.id)
  const { delivered, attempt } = await till.testWebhook(id)
  const { data: events, has_more: more } = await till.listEvents({ after: 'evt_1', include_unsigned: true })
  await till.changeApiKey('key_1', { label: 'Production' })
  const removed: undefined = await till.deleteWebhook(id)
  return { data, total, secret, delivered, status: attempt.status, events: events.map(({ order }) => order.id), more, removed }
}
// @ts-expect-error an event is one of a list
void (() => till.createWebhook({ url: 'https://shop.example/till', events: ['ORDER_PAID'] }))
// @ts-expect-error a filter is one of a list
void (() => till.listOrders({ refrence: 'NW-1' }))
export const wait = (error: unknown) => (error instanceof TillError ? error.retryAfter : undefined)

// @ts-expect-error money is a decimal string
void (() => till.createOrder({ mode: 'SALE', amount: 42.5 }))
// @ts-expect-error refunds are made by refundOrder
void (() => till.createOrder({ mode: 'REFUND', amount: '1' }))

const ours = { factory: '0x0000000000000000000000000000000000000fac', recipients: ['0x00000000000000000000000000000000000000a1'] }
export const check = (order: unknown): string | undefined => {
  const checked = verifyOrder(order, ours)
  // @ts-expect-error a refused order has no address
  void checked.address
  const problem: OrderProblem | undefined = checked.ok ? undefined : checked.problem
  return problem ?? (checked.ok ? checked.address : undefined)
}
// @ts-expect-error who receives the money has to be known
void (() => verifyOrder({}, { factory: ours.factory }))
