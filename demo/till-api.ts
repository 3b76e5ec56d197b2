import { createHmac, timingSafeEqual } from 'node:crypto'
import { verifyOrder } from '../src/wire/terms/verify-order.ts'

export interface Keys {
  readonly baseUrl: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly webhookSecret: string
  /** One of these addresses must receive the money. They come from the shop's own configuration, never from an order. */
  readonly recipients: readonly string[]
  /** The operator publishes the address of this contract, from which the addresses of orders follow. */
  readonly factory: string
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

/** These are the only members of a webhook's order that the shop reads, and it checks each of them. */
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

/**
 * The amount comes from this server and never from the browser, and the API secret never leaves this server. No payer is sent to an order
 * that could pay anybody but this shop. Other shops import the check from '@till-pay/checkout/verify'.
 */
export async function createOrder({ baseUrl, apiKey, apiSecret, factory, recipients }: Keys, order: object): Promise<NewOrder> {
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
  const checked = verifyOrder(answer, { factory, recipients })
  if (!checked.ok) throw new Error(`order ${answer.id} is not sent to a payer: ${checked.problem}`)
  return answer
}

/** While a secret is being rotated the header has two signatures, and a match with either is enough. */
export function isFromTill({ webhookSecret }: Keys, body: Buffer, header: string | undefined): boolean {
  const right = createHmac('sha256', webhookSecret).update(body).digest()
  return (header ?? '').split(',').some((part) => {
    const given = Buffer.from(part, 'base64')
    return given.length === right.length && timingSafeEqual(given, right)
  })
}

/**
 * A valid signature proves that Till sent the webhook, not that the order is this shop's. Anybody with the publishable key can create
 * orders that pay themselves, so an order is ours only if this server created and signed it, with its price and one of its addresses.
 */
export const isOurs = ({ recipients }: Keys, made: Price | undefined, order: WebhookOrder): boolean =>
  made !== undefined &&
  order.created_by === 'signature' &&
  order.price.amount === made.amount &&
  order.price.unit === made.unit &&
  recipients.some((recipient) => isSameAddress(recipient, order.fulfillment.recipient))

/** Case is a part of addresses in some families of chains, and only EVM's (0x…) mean the same in any case. */
const isSameAddress = (a: string, b: string): boolean => a === b || (a.startsWith('0x') && a.toLowerCase() === b.toLowerCase())
