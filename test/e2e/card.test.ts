import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShop, type Shop } from '../support/service/checkout.ts'
import { untilOrder, untilStatus } from '../support/orders/payments.ts'
import { startService, type Service } from '../support/service/service.ts'

/** A card payment from outside, against a freshly started service. The provider's page is a form on another origin. */

let service: Service
let shop: Shop
beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
})
afterAll(async () => {
  await service?.close()
})

async function begin() {
  const order = await shop.order({ card_payments: true })
  const params = { order_id: order.id }
  const { methods } = await shop.client.ask('paymentMethods', { params })
  expect(methods.find(({ method }) => method === 'CARD')).toMatchObject({ available: true })
  const { asset } = order.fulfillment
  const { data } = await shop.client.ask('requestPayment', {
    params,
    body: { source: { currency: { chain_id: asset.chain_id, address: asset.address }, payment_rail: 'FIAT' } },
  })
  const [step] = data.steps
  if (step?.kind !== 'stripe_onramp') throw new Error('no card step')
  return { order, url: step.data.hosted_url }
}
/** Submits the form as a browser does when a button is pressed. */
async function press(url: string, label: string) {
  const page = await (await fetch(url)).text()
  const deed = new RegExp(`value="(\\w+)">${label}<`).exec(page)?.[1]
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ deed: deed ?? '' }) })
  expect(answer.status).toBe(200)
}

test('default: a card approved on the provider’s page pays the merchant', async () => {
  const { order, url } = await begin()
  expect(new URL(url).origin).not.toBe(service.payUrl)
  const { asset, recipient } = order.fulfillment
  const before = await shop.payer(asset.chain_id).balance(asset.address, recipient)
  await press(url, 'Pay')
  const done = await untilStatus(shop.client, order.id, 'COMPLETED')
  expect(done.payment).toMatchObject({ payment_rail: 'FIAT', funding: { transactions: [{ state: 'applied' }] } })
  expect((await shop.payer(asset.chain_id).balance(asset.address, recipient)) - before).toBe(BigInt(order.fulfillment.amount.raw))
})

test('behavior: a declined card pays nothing, and the same page accepts another card', async () => {
  const { order, url } = await begin()
  await press(url, 'Decline the card')
  const declined = await untilOrder(
    shop.client,
    order.id,
    ({ payment }) => payment?.steps[0]?.kind === 'stripe_onramp' && payment.steps[0].data.message !== undefined,
  )
  expect(declined.status).toBe('AWAITING_PAYMENT')
  expect(declined.payment?.steps).toMatchObject([
    { data: { status: 'requires_payment', message: expect.stringContaining('Try another card') } },
  ])
  expect(declined.payment?.funding?.transactions).toEqual([])
  await press(url, 'Pay')
  await untilStatus(shop.client, order.id, 'COMPLETED')
})
