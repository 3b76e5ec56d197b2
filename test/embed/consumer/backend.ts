import { createTill, TillError, verifyWebhook } from '@till-pay/checkout/server'

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
