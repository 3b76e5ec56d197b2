import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import recorded from '../../server/reference/examples.json' with { type: 'json' }
import { solanaChainId } from '../../local/solana/start-local-solana.ts'
import { groups } from '../../server/reference/groups.ts'
import { requests } from '../../server/reference/requests.ts'
import { samplesOf } from '../../server/reference/samples.ts'
import type { Description } from '../../server/reference/schema.ts'
import { describedChains } from '../../server/compose/described-chains.ts'
import { openapi } from '../../server/reference/openapi.ts'
import type { Endpoint } from '../../src/wire/endpoint.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import type { PaymentRequired } from '../../src/wire/x402.ts'
import { type Shop, openShop } from '../support/service/checkout.ts'
import { type AnswerOf, type Client, createClient, type Name, type Sent } from '../support/client/client.ts'
import { readExactly } from '../support/client/exact.ts'
import { checkout, untilStatus } from '../support/orders/payments.ts'
import { root } from '../support/root.ts'
import { type Service, startService } from '../support/service/service.ts'
import { connectSocket } from '../support/client/socket.ts'
import { startReceiver } from '../support/service/webhook-receiver.ts'
import { until } from '../support/wait.ts'
import { complete, encoded, sign } from '../incoming/x402/support.ts'

/**
 * The example responses in the API description and reference are recorded from a real service. They are compared with one, and after an API
 * change they are recorded again:
 *
 *     TILL_EXAMPLES=write npx vitest run test/docs/reference-examples.test.ts
 */
const isWriting = process.env.TILL_EXAMPLES === 'write'
const file = join(root, 'server/reference/examples.json')
/** USDC's real address on Base replaces the local chain's. */
const realUsdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const usdcOnEthereum = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'

let service: Service
let shop: Shop
const taken: Record<string, unknown> = {}

beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
  await take(shop.client)
})
afterAll(() => service?.close())

/** Replaces the values that depend on this machine. */
function normal(answers: object): Record<string, unknown> {
  const usdc = shop.token(8453, 'USDC') ?? ''
  const text = JSON.stringify(answers)
    .replaceAll(service.payUrl, 'https://pay.example')
    .replaceAll(new RegExp(usdc, 'gi'), realUsdc)
    .replace(/http:\/\/(localhost|127\.0\.0\.1):\d+/g, 'https://shop.example')
  return JSON.parse(text, onItsChain) as Record<string, unknown>
}

/** The local chains have the same dollar at the same address, and the real ones do not. */
function onItsChain(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { chain_id: chainId, network } = value as { chain_id?: number; network?: string }
  if (chainId !== 1 && network !== 'eip155:1') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string'
        ? member.replace(new RegExp(realUsdc, 'i'), name === 'id' ? usdcOnEthereum.toLowerCase() : usdcOnEthereum)
        : member,
    ]),
  )
}

async function take(client: Client): Promise<void> {
  const real = (body: unknown): unknown =>
    JSON.parse(JSON.stringify(body ?? null).replaceAll(realUsdc, shop.token(8453, 'USDC') ?? '')) ?? undefined
  const ask = async <N extends Name>(name: N, sent: Sent = {}, by = client) => {
    const body = 'body' in sent ? sent.body : real((requests as Readonly<Record<string, unknown>>)[name])
    const answer = await by.ask(name, { ...sent, body })
    taken[name] = answer
    return answer
  }
  const socket = await connectSocket(service.baseUrl, client.keys)
  await socket.subscribe(undefined)

  const payer = shop.payer(8453)
  const wallet = { address: payer.address, chain_type: 'EVM', chain_ids: [8453] }
  const receiver = await startReceiver()
  const { id: receiving } = await client.ask('createWebhook', { body: { url: receiver.url, events: ['ORDER_COMPLETED'] } })
  const order = await ask('createOrder', { headers: { 'idempotency-key': 'NW-20418' } })
  const path = { params: { order_id: order.id } }
  await ask('paymentMethods', path)
  await ask('orderQuotes', { ...path, body: { filter: { wallet, limit: 2 } } })
  const { data: payment } = await ask('requestPayment', path)
  const [step] = payment.steps
  if (step?.kind !== 'deposit') throw new Error('no deposit step')
  const hash = await payer.pay(step.data.currency.address, step.data.deposit_address, BigInt(step.data.amount))
  await until(async () => (await client.ask('getOrder', path)).payment?.source_tx_hash, { what: 'the payment is seen' })
  await untilStatus(client, order.id, 'COMPLETED')
  await ask('findTransaction', { ...path, body: { tx_hash: hash, chain_id: 8453 } })
  await ask('getOrder', path)
  await ask('listOrders', { query: { status: 'COMPLETED', limit: '1' } })
  await ask('refundOrder', { ...path, headers: { 'idempotency-key': 'refund-NW-20418' } })
  const event = await until(() => socket.events.find((text) => text.includes('"ORDER_COMPLETED"')), { what: 'the event' })
  taken.EventEnvelope = (JSON.parse(event) as { data: unknown }).data
  await socket.close()
  const ofReceiving = { params: { webhook_id: receiving } }
  const deliveries = await until(
    async () => {
      const list = await ask('listDeliveries', { ...ofReceiving, query: { state: 'delivered', limit: '1' } })
      return list.data.length === 1 ? list : undefined
    },
    { what: 'the webhook is delivered' },
  )
  await ask('resendDelivery', { params: { webhook_id: receiving, delivery_id: deliveries.data[0]!.id } })
  await ask('testWebhook', ofReceiving)
  await ask('listEvents', { query: { order_id: order.id, event: 'ORDER_COMPLETED', limit: '1' } })
  await client.ask('deleteWebhook', ofReceiving)
  await receiver.close()

  const inOneSignature = await client.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
  const { required } = await complete(service.baseUrl, inOneSignature.id)
  taken.PaymentRequired = required
  const payload = await sign((required as PaymentRequired).accepts[0]!)
  taken.PaymentPayload = payload
  const { status, body, response } = await complete(service.baseUrl, inOneSignature.id, encoded(payload))
  expect(status).toBe(200)
  Object.assign(taken, { completeX402: body, PaymentResponse: response })
  await untilStatus(client, inOneSignature.id, 'COMPLETED')

  const onSolana = await client.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
  const ofSolana = { params: { order_id: onSolana.id } }
  const sol = { chain_id: solanaChainId, address: null }
  await client.ask('requestPayment', { ...ofSolana, body: { source: { payment_rail: 'CRYPTO', currency: sol } } })
  await ask('walletTransaction', ofSolana)
  await ask('walletCost', ofSolana)

  const webhook = await ask('createWebhook')
  const ofWebhook = { params: { webhook_id: webhook.id } }
  await ask('getWebhook', ofWebhook)
  await ask('changeWebhook', ofWebhook)
  await ask('rotateWebhook', ofWebhook)
  taken.listWebhooks = { data: (await client.ask('listWebhooks')).data.filter(({ id }) => id === webhook.id) }
  await client.ask('deleteWebhook', ofWebhook)

  const invoice = await ask('createInvoice')
  const ofInvoice = { params: { invoice_id: invoice.id } }
  await ask('createInvoiceDraft')
  await ask('getInvoice', ofInvoice)
  await ask('listInvoices', { query: { limit: '1', search: 'Ada' } })
  await ask('archiveInvoice', ofInvoice)

  await ask('swapQuote')
  await ask('searchCurrencies', { query: { q: 'usdc', chain_ids: '8453', limit: '1' } })
  await ask('portfolio', { body: { wallets: [wallet], filter: { limit: 2 } } })

  const { bank_account_id: account } = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as { bank_account_id: string }
  await fetch(`${service.payUrl}/test/bank/accounts/${account}/deposits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"amount":"42.50"}',
  })
  const deposits = await until(
    async () => {
      const list = await ask('bankDeposits', { params: { account_id: account } })
      return list.data[0]?.settlement ? list : undefined
    },
    { what: 'the bank deposit is settled' },
  )
  expect(deposits.data).toHaveLength(1)
  await ask('createVerification')
  const internal = createClient(service.baseUrl, { apiKey: 'pk_test_internal', secret: 'sk_test_internal' })
  const challenge = await ask('createEmailChallenge', {}, internal)
  await ask('checkEmailChallenge', { body: { challenge_id: challenge.challenge_id, code: challenge.code } }, internal)

  await takeGuardMoves(ask)
  await ask('getSettlements')
  await ask('putSettlements')
  const { data: keys } = await client.ask('listApiKeys')
  const own = keys.filter(({ api_key_last_four: last }) => client.keys.apiKey.endsWith(last))
  // The last use is written a moment later, so it is not deterministic.
  const unused = <K extends object>(key: K) => ({ ...key, last_used_at: undefined })
  taken.listApiKeys = { data: own.map(unused) }
  const changed = await client.ask('changeApiKey', {
    params: { api_key_id: own[0]!.id },
    body: requests.changeApiKey,
  })
  taken.changeApiKey = unused(changed)
  await ask('feeBalance')
  taken.ErrorResponse = await client.refused('getOrder', 404, { params: { order_id: 'ord_5T0wq8m0V1yBzq4m5n3Zrw' } })
}

/** Somebody overpays an organisation that has a guard of its own, and its people sign for what goes back. */
async function takeGuardMoves(ask: <N extends Name>(name: N, sent: Sent, by: Client) => Promise<AnswerOf<N>>): Promise<void> {
  const { guarded_organization: guarded } = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as {
    guarded_organization: { api_key: string; api_secret: string; guard: { private_key: Hex } }
  }
  const client = createClient(service.baseUrl, { apiKey: guarded.api_key, secret: guarded.api_secret })
  const payer = shop.payer(8453)
  const order = await checkout(client, { amount: '42.50', fiat_unit: 'usd' }, { refund_address: payer.address })
  await payer.pay(order.created.fulfillment.asset.address, order.deposit, order.required + 10_000_000n)
  await until(async () => (await client.ask('listGuardMoves')).data[0], { what: 'a move that waits' })
  const [move] = (await ask('listGuardMoves', { query: { limit: '1' } }, client)).data
  const signature = await privateKeyToAccount(guarded.guard.private_key).sign({ hash: move!.digest as Hex })
  await ask('signGuardMove', { params: { digest: move!.digest }, body: { signature } }, client)
}

/** Lists every member path with its type, and status-like members with their value. */
function shapeOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((entry) => shapeOf(entry, `${at}[]`)))].sort()
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .flatMap(([name, part]) => shapeOf(part, `${at}.${name}`))
      .sort()
  return [/\.(status|state|mode|kind|event|trade_type|is_live)$/.test(at) ? `${at} = ${JSON.stringify(value)}` : `${at}: ${typeof value}`]
}

/** This call returns while the transaction is being confirmed, so its progress varies. */
const inBetween = 'completeX402'

const known: Readonly<Record<string, unknown>> = recorded

test('default: a real response has the members and the statuses of its example', () => {
  const now = normal(taken)
  if (isWriting) return writeFileSync(file, `${JSON.stringify(now, undefined, 2)}\n`)
  expect(Object.keys(known).sort()).toEqual(Object.keys(now).sort())
  for (const [name, answer] of Object.entries(now)) if (name !== inBetween) expect(shapeOf(known[name]), name).toEqual(shapeOf(answer))
})

test.skipIf(isWriting).each(Object.entries(endpoints as Readonly<Record<string, Endpoint>>))(
  'behavior: the example of %s fits its schema exactly',
  (id, { answer }) => {
    if (answer) readExactly(answer, known[id])
    else expect(known[id]).toBeUndefined()
  },
)

test.skipIf(isWriting)('behavior: each example order is in the state that its example is about', () => {
  const order = (id: string) =>
    known[id] as { status: string; payment?: object; fulfillment: { asset: { id: string; address: string; chain_id: number } } }
  expect([order('createOrder').status, order('createOrder').payment]).toEqual(['PENDING', undefined])
  expect(order('getOrder')).toMatchObject({
    status: 'COMPLETED',
    payment: { destination_tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  })
  expect(known.requestPayment).not.toHaveProperty('data.source_tx_hash')
  const { id, address, chain_id: chainId } = order('createOrder').fulfillment.asset
  expect(id).toBe(`${address.toLowerCase()}-${chainId}`)
  expect(JSON.stringify(known)).not.toMatch(/localhost|127\.0\.0\.1/)
})

test.skipIf(isWriting)('behavior: every response type has an example, and every operation is in the reference', () => {
  const description = openapi(
    'https://pay.example/v3',
    'https://pay.example',
    describedChains({ chains: new Map() }),
  ) as unknown as Description
  const samples = samplesOf(description)
  const objects = Object.entries(description.components.schemas).filter(([, schema]) => schema.properties)
  expect(objects.map(([name]) => name).filter((name) => !samples.has(name))).toEqual([])
  expect(groups.flatMap(({ operations }) => operations).length).toBe(Object.keys(endpoints).length + 1)
})
