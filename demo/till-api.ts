import { createHmac, timingSafeEqual } from 'node:crypto'

export interface Keys {
  readonly baseUrl: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly webhookSecret: string
  /** Where this shop's money must go: from its own configuration, never from an order. */
  readonly recipient: string
}

export interface Price {
  readonly amount: string
  readonly unit: string
}

export interface NewOrder {
  readonly hosted_url: string
  readonly id: string
  readonly price: Price
}

/** The members of a webhook's order that this shop checks. */
export interface WebhookOrder {
  readonly id: string
  readonly created_by: string
  readonly price: Price
  readonly fulfillment: { readonly recipient: string }
}

const isNewOrder = (value: unknown): value is NewOrder =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  'hosted_url' in value &&
  typeof value.id === 'string' &&
  'price' in value &&
  typeof value.hosted_url === 'string'

/** Creates an order as a merchant's server does: the amount comes from here, never from the browser, and the secret stays here. */
export async function createOrder({ baseUrl, apiKey, apiSecret }: Keys, order: object): Promise<NewOrder> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', apiSecret).update(`POST/orders${timestamp}`).digest('hex')
  const response = await fetch(`${baseUrl}/orders`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: apiKey,
      'authorization-signature': `APIKey=${apiKey},signature=${signature},timestamp=${timestamp}`,
    },
    body: JSON.stringify(order),
  })
  const answer: unknown = await response.json()
  if (!response.ok || !isNewOrder(answer)) throw new Error(`the order was not created: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

/** Whether the body was signed with our secret, by any of the signatures in the header (there are two while a secret is rotated). */
export function isFromTill({ webhookSecret }: Keys, body: Buffer, header: string | undefined): boolean {
  const right = createHmac('sha256', webhookSecret).update(body).digest()
  return (header ?? '').split(',').some((part) => {
    const given = Buffer.from(part, 'base64')
    return given.length === right.length && timingSafeEqual(given, right)
  })
}

/**
 * A valid signature proves that Till sent it, not that the order is this shop's: anybody with the publishable key can create orders that
 * pay themselves. Ours are those that this server created and signed for, at its price, to its address.
 */
export const isOurs = ({ recipient }: Keys, made: Price | undefined, order: WebhookOrder): boolean =>
  made !== undefined &&
  order.created_by === 'signature' &&
  order.price.amount === made.amount &&
  order.price.unit === made.unit &&
  order.fulfillment.recipient.toLowerCase() === recipient.toLowerCase()
