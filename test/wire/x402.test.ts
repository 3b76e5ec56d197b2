import { expect, expectTypeOf, test } from 'vitest'
import { PaymentPayload, PaymentRequired, PaymentRequirements, PaymentResponse, X402CompleteRequest } from '../../src/wire/x402.ts'
import { payer, shop, usdc } from '../orders/model/support.ts'

const requirements: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '1000',
  asset: usdc.address ?? '',
  payTo: shop,
  maxTimeoutSeconds: 600,
  extra: { name: 'USD Coin', version: '2' },
}
const authorization = { from: payer, to: shop, value: '1000', validAfter: '0', validBefore: '1770000000', nonce: `0x${'1'.repeat(64)}` }
const payload = {
  x402Version: 2,
  resource: { url: 'https://pay.example/x' },
  accepted: requirements,
  payload: { signature: '0x12', authorization },
}

test('default: version 2 of each header is parsed', () => {
  const required = {
    x402Version: 2,
    error: 'PAYMENT-SIGNATURE header is required',
    resource: { url: 'https://pay.example/x', description: 'Beans', mimeType: 'application/json' },
    accepts: [requirements],
  }
  expect(PaymentRequired.parse(required)).toEqual(required)
  expect(PaymentPayload.parse(payload)).toEqual(payload)
  const response = { success: false, transaction: '0x1', network: 'eip155:8453', payer, errorReason: 'insufficient_funds' }
  expect(PaymentResponse.parse(response)).toEqual(response)
  expect(X402CompleteRequest.parse({})).toEqual({})
})

test('behavior: an offer of nothing to sign is an empty list', () => {
  expect(PaymentRequired.parse({ x402Version: 2, resource: { url: 'u' }, accepts: [] }).accepts).toEqual([])
})

test('behavior: the requirements that a client accepted are kept whole, with unknown members', () => {
  const accepted = { ...requirements, extra: { name: 'USD Coin', version: '2', more: { deep: true } }, novel: 1 }
  expect(PaymentPayload.parse({ ...payload, accepted }).accepted).toEqual(accepted)
})

test('error: another version or another shape is refused', () => {
  for (const bad of [
    { ...payload, x402Version: 1 },
    { ...payload, payload: { signature: '0x12' } },
    { ...payload, accepted: undefined },
    { ...payload, payload: { signature: '0x12', authorization: { ...authorization, value: 1000 } } },
    null,
    [],
  ]) {
    expect(PaymentPayload.safeParse(bad).success).toBe(false)
  }
  expect(X402CompleteRequest.safeParse({ preferred_chain_id: 5 }).success).toBe(false)
})

test('behavior: every offer can be accepted, by type', () => {
  expectTypeOf<PaymentRequirements>().toExtend<PaymentPayload['accepted']>()
})
