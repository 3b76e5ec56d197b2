import * as z from 'zod'
import { endpoints } from '../../../src/wire/endpoints.ts'
import type { PaymentRequired } from '../../../src/wire/x402.ts'
import { decodeHeader, encodeHeader } from '../../../src/wire/x402-header.ts'
import type { Order } from '../../orders/model/order.ts'
import { snapshot } from '../../orders/model/snapshot.ts'
import { ApiError, errorBody, notFound } from '../../http/api-error.ts'
import { spend } from '../../http/access.ts'
import { limiter } from '../../http/limits.ts'
import type { Answer, Route } from '../../http/route.ts'
import type { Engine } from '../../orders/engine.ts'
import { orderById } from '../../orders/order-queries.ts'
import type { Preference } from './offers.ts'
import { overBudget } from '../../orders/unsigned.ts'
import { refusalMessage } from './refusal-messages.ts'
import type { SignedPayment } from '../../chains/x402.ts'
import type { X402 } from './x402.ts'

/** Ordinary payloads are less than half as long. */
const longestHeader = 12_000

/** Serves the last step of an x402 payment: a request without a signature gets the offers to sign, and one with a signature pays. */
export function x402Complete(route: Route, engine: Engine, x402: X402): void {
  // Verifying a signature may make our node run an unauthenticated caller's contract, so each order has its own rate limit.
  const perOrder = limiter({ perSecond: 1, burst: 60 }, () => performance.now())
  const requiredFor = async (order: Order, reason: string | undefined, preference: Preference | undefined): Promise<PaymentRequired> => {
    const accepts = await x402.accepts(order, preference)
    return {
      x402Version: 2,
      error: reason ?? (accepts.length > 0 ? 'payment_required' : 'order_not_payable'),
      resource: {
        url: `${engine.payUrl}/v3${endpoints.completeX402.path.replace(':order_id', order.id)}`,
        description: `Order ${order.id}`,
        mimeType: 'application/json',
      },
      accepts: [...accepts],
    }
  }
  const unpaid = (required: PaymentRequired, headers: Answer['headers'] = {}): Answer => ({
    status: 402,
    body: errorBody(402, refusalMessage(required.error ?? '')),
    headers: { 'payment-required': encodeHeader(required), ...headers },
  })

  route(endpoints.completeX402, async ({ params, body, c }) => {
    const header = c.req.header('payment-signature')
    const order = await orderById(engine.sql, params.order_id)
    if (!order) throw notFound('order')
    if (header === undefined) return unpaid(await requiredFor(order, undefined, body))
    spend(perOrder, order.id)
    const payment = decodePayment(x402, header)
    if (!payment)
      throw new ApiError(400, 'PAYMENT-SIGNATURE is not a version 2 payment: base64 of JSON with x402Version, accepted and payload.')
    const completion = await x402.complete(order, payment)
    const response: Answer['headers'] =
      'response' in completion && completion.response ? { 'payment-response': encodeHeader(completion.response) } : {}
    switch (completion.at) {
      case 'paid':
      case 'pending': {
        const current = (await orderById(engine.sql, order.id)) ?? order
        return { status: completion.at === 'paid' ? 200 : 202, body: { order: snapshot(current) }, headers: response }
      }
      case 'refused':
        return unpaid(await requiredFor((await orderById(engine.sql, order.id)) ?? order, completion.reason, body), response)
      case 'conflict':
        throw new ApiError(409, completion.message)
      case 'over_budget':
        throw overBudget(
          'Signatures have used up what may be spent on gas here in an hour. Send the amount to the address instead.',
          engine.clock(),
        )
      default:
        return completion satisfies never
    }
  })
}

/** Of a payload only the network is read here, which says whose it is. */
const Payload = z.object({ accepted: z.object({ network: z.string() }) })

/** Returns undefined for anything but standard padded base64 of a version 2 payload that one of the chains understands. */
function decodePayment(x402: X402, header: string): SignedPayment | undefined {
  if (header.length > longestHeader || header.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return undefined
  const decoded = decodeHeader(header)
  const parsed = Payload.safeParse(decoded)
  return parsed.success ? x402.read(decoded, parsed.data.accepted.network) : undefined
}
