import * as z from 'zod/mini'
import { Order } from '../../src/wire/order.ts'
import { sign, textToSign } from '../../server/http/signature.ts'
import { localKeys } from '../seed.ts'
import { CannotPlay } from './cannot-play.ts'

/** A scenario makes these two API calls over HTTP, like a shop and a payer. */
export interface Merchant {
  createOrder(body: object): Promise<Order>
  instruct(orderId: string, source: Source): Promise<void>
}

export interface Source {
  readonly currency: { readonly chain_id: number; readonly address: string | null }
  readonly payment_rail: 'CRYPTO' | 'FIAT'
}

const Refusal = z.object({ message: z.string() })

export function localMerchant(payUrl: () => string): Merchant {
  const post = async (path: string, body: object): Promise<unknown> => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = sign(localKeys.secret, textToSign('POST', path, timestamp))
    const answer = await fetch(`${payUrl()}/v3${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: localKeys.apiKey,
        'authorization-signature': `APIKey=${localKeys.apiKey},signature=${signature},timestamp=${timestamp}`,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    })
    const said: unknown = await answer.json()
    if (!answer.ok) throw new CannotPlay(z.parse(Refusal, said).message)
    return said
  }
  return {
    createOrder: async (body) => z.parse(Order, await post('/orders', body)),
    instruct: async (orderId, source) => void (await post(`/orders/${orderId}/payment`, { source })),
  }
}
