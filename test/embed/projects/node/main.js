import { loadTill } from '@till-pay/checkout'
import { createTill, verifyWebhook } from '@till-pay/checkout/server'

/** A merchant's server in plain Node, without a bundler or a browser. */
const body = '{"event":"ORDER_COMPLETED","delivered_at":"2026-05-12T14:06:30Z","order":{"id":"ord_1"}}'
const signed = Buffer.from(await crypto.subtle.sign('HMAC', await key('whsec'), Buffer.from(body)))
const event = await verifyWebhook(body, signed.toString('base64'), 'whsec')
const till = createTill({
  apiKey: 'pk',
  apiSecret: 'sk',
  baseUrl: 'https://pay.example/v3',
  fetch: async (url, { headers }) =>
    Response.json({ id: `${url} ${/^APIKey=pk,signature=[0-9a-f]{64}/.test(headers['authorization-signature'])}` }),
})
const { id } = await till.createOrder({ mode: 'SALE', amount: '42.50', fiat_unit: 'usd' })
console.log(JSON.stringify([await loadTill({ payUrl: 'https://pay.example' }), event.event, id]))

function key(secret) {
  return crypto.subtle.importKey('raw', Buffer.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}
