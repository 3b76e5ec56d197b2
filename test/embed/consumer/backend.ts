import { createTill, TillError, verifyWebhook } from '@till-pay/checkout/server'
import { type OrderProblem, verifyOrder } from '@till-pay/checkout/verify'

const till = createTill({ apiKey: 'pk', apiSecret: 'sk', baseUrl: 'https://pay.example/v3' })
export const make = () =>
  till.createOrder(
    { mode: 'SALE', amount: '42.50', fiat_unit: 'usd', settings: { embed_origins: ['https://shop.example'] } },
    { idempotencyKey: 'cart-1' },
  )
export const hook = async (body: string, header: string | undefined) => {
  const event = await verifyWebhook(body, header, 'whsec')
  // @ts-expect-error a forged webhook gives null
  void event.order
  return event?.order.status === 'COMPLETED'
}
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
