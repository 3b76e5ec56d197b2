import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import type { PaymentRequest } from '../../src/api/client.ts'
import { payByCard, type CardStep } from '../../src/methods/card/pay-by-card.ts'
import type { FlowPorts } from '../../src/methods/method.ts'
import { cardPageOf, cardStepOf } from '../../src/wire/card-step.ts'
import { OrderRead } from '../../src/wire/order-read.ts'

const asset = { chain_id: 8453, address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6, symbol: 'USDC' }
const withCard = (status?: string, hosted_url: unknown = 'https://card.example/1') =>
  OrderRead.parse({
    id: 'ord_1',
    status: 'AWAITING_PAYMENT',
    fulfillment: { asset },
    payment: { steps: status === undefined ? [] : [{ rail: 'FIAT', kind: 'stripe_onramp', action: 'open', data: { hosted_url, status } }] },
  })

async function run(order: OrderRead, answer: () => Promise<void> = async () => {}) {
  const requests: PaymentRequest[] = []
  const api = {
    requestPayment: async (_: string, ask: PaymentRequest) => {
      requests.push(ask)
      await answer()
    },
  } as unknown as FlowPorts['api']
  const steps: CardStep[] = []
  const ports: FlowPorts = { api, order: () => order, refresh: async () => {}, now: () => 0 }
  for await (const step of payByCard(ports, { do: 'open' }, new AbortController().signal)) steps.push(step)
  return { requests, steps }
}

test('default: requests the provider’s page in the settlement asset, by card', async () => {
  expect(await run(withCard())).toEqual({
    requests: [{ currency: { chain_id: 8453, address: asset.address }, rail: 'FIAT' }],
    steps: [{ at: 'asking' }, { at: 'opened' }],
  })
})

test('behavior: an open page is not requested again, an ended one is', async () => {
  for (const status of ['initialized', 'requires_payment', 'requires_identity', 'something new'])
    expect((await run(withCard(status))).requests).toEqual([])
  for (const status of ['rejected', 'expired']) expect((await run(withCard(status))).requests).toHaveLength(1)
})

test('error: a refusal is shown in the words of the service', async () => {
  const refuse = async () => {
    throw new ApiError(422, 'This card was not accepted.')
  }
  expect((await run(withCard(), refuse)).steps.at(-1)).toEqual({ at: 'refused', status: 422, message: 'This card was not accepted.' })
})

test('behavior: only a web address is opened', () => {
  const page = (url: unknown) => {
    const step = cardStepOf(withCard('initialized', url))
    return step && cardPageOf(step)
  }
  expect(page('https://card.example/1')).toBe('https://card.example/1')
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'nothing', '', 12, null]) expect(page(url)).toBeUndefined()
})
