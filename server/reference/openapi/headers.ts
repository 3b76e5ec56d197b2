import type { Json } from './schemas.ts'

const text = { type: 'string' }

/** The schemas describe bodies only, so response headers are described here. */
export const headers: Readonly<Record<string, Json>> = {
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer', format: 'int64', minimum: 1 } },
  'PAYMENT-REQUIRED': {
    description:
      'Standard padded base64 of a PaymentRequired as JSON: what can be signed, best first. `accepts` is empty and `error` is order_not_payable where nothing can be paid this way.',
    schema: text,
  },
  'PAYMENT-RESPONSE': {
    description: 'Standard padded base64 of a PaymentResponse as JSON: the outcome of the payment. Absent where none was attempted.',
    schema: text,
  },
}

export const headerRef = (name: string): Json => ({ [name]: { $ref: `#/components/headers/${name}` } })

/** A delivery is a request that we make, so its headers are parameters. */
export const deliveryHeaders: readonly Json[] = [
  {
    name: 'Till-Webhook-Signature',
    in: 'header',
    required: true,
    description:
      'Base64 of HMAC-SHA256 over the raw bytes of the body, with the secret of this webhook. For 24 hours after a rotation there are two, separated by a comma: one that is valid is enough.',
    schema: text,
  },
  {
    name: 'Till-Webhook-Id',
    in: 'header',
    required: true,
    description: 'The same for every retry of one delivery: process each id once.',
    schema: text,
  },
]

export const requestHeaders: Readonly<Record<string, string>> = {
  'Idempotency-Key':
    'The same key with the same body gets the same response as the first time, for 24 hours; with another body it is 409. Signed and unsigned calls have separate keys.',
  'PAYMENT-SIGNATURE': 'Standard padded base64 of a PaymentPayload as JSON.',
}
