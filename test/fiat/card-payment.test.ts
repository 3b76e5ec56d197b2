import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { signCallback } from '../../server/providers/callback.ts'
import { ConfigInvalid, readConfig } from '../../server/config.ts'
import { type CardProvider, cardSecret, startCards } from '../support/service/cards.ts'
import type { Client } from '../support/client/client.ts'
import { untilOrder, untilStatus } from '../support/orders/payments.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'
import { payers } from '../../local/chains/accounts.ts'

let stage: Stage
let cards: CardProvider
let process: Process
let client: Client
let payUrl = ''
const inFrance = { 'cf-country': 'FR', 'x-forwarded-for': '203.0.113.9' }
beforeAll(async () => {
  stage = await startStage()
  const rpcUrls = new Map([stage.base, stage.ethereum].map(({ anvil }) => [anvil.chainId, anvil.rpcUrl]))
  cards = await startCards(rpcUrls, () => payUrl)
  process = await stage.start({
    CARD_URL: cards.url,
    CARD_SECRET: cardSecret,
    CARD_FEE: '2.9% + 0.30',
    COUNTRY_HEADER: 'CF-Country',
    TRUSTED_PROXIES: '127.0.0.1/32',
  })
  payUrl = process.service.payUrl
  client = (await stage.merchant()).at(process)
})
afterAll(async () => {
  await cards?.stop()
  await stage?.close()
})

const order = (body: object = {}, card_payments = true) =>
  client.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd', settings: { card_payments }, ...body } })
async function method(order_id: string, headers: Record<string, string> = inFrance) {
  const { methods } = await client.ask('paymentMethods', { params: { order_id }, headers })
  return methods.find((method) => method.method === 'CARD')!
}
const pay = (order_id: string, headers: Record<string, string> = inFrance) => ({
  params: { order_id },
  body: { source: { currency: { chain_id: 8453, address: stage.base.token('USDC') }, payment_rail: 'FIAT' } },
  headers,
})
const inCrypto = (order_id: string) => ({
  params: { order_id },
  body: { source: { currency: { chain_id: 8453, address: stage.base.token('USDC') }, payment_rail: 'CRYPTO' as const } },
})
async function opened(order_id: string) {
  const { data } = await client.ask('requestPayment', pay(order_id))
  const [step] = data.steps
  if (step?.kind !== 'stripe_onramp') throw new Error('no card step')
  return { data, step: step.data }
}
async function stepOf(order_id: string) {
  const { payment } = await client.ask('getOrder', { params: { order_id } })
  return payment?.steps[0]
}

test('default: the total with all costs, the provider’s page, and then the order is paid like any other', async () => {
  const { id } = await order()
  expect(await method(id)).toEqual({
    method: 'CARD',
    available: true,
    estimated_total: { amount: 44.04, unit: 'USD' },
    minimum_amount: { amount: 5, unit: 'USD' },
  })
  const { data, step } = await opened(id)
  expect(data.payment_rail).toBe('FIAT')
  expect(step).toEqual({
    session_id: expect.stringMatching(/^cos_/),
    hosted_url: expect.stringContaining(`${cards.url}/checkout/cos_`),
    status: 'initialized',
    destination_amount: '42.5',
    quote: { source_total_amount: '44.04', source_currency: 'usd' },
  })
  expect((await client.ask('getOrder', { params: { order_id: id } })).status).toBe('AWAITING_PAYMENT')
  await cards.press(step.hosted_url, 'approve')
  const done = await untilStatus(client, id, 'COMPLETED')
  expect(done.payment).toMatchObject({ payment_rail: 'FIAT', steps: [{ kind: 'stripe_onramp', data: { status: 'fulfillment_complete' } }] })
  expect(done.payment?.funding?.received_amount.raw).toBe('42500000')
})

test('behavior: asking again returns the same session, also after another method was chosen', async () => {
  const { id } = await order()
  const first = await opened(id)
  expect((await opened(id)).step).toEqual(first.step)
  const { data } = await client.ask('requestPayment', inCrypto(id))
  expect([data.payment_rail, data.steps[0]?.kind, data.funding?.required_amount.raw]).toEqual(['CRYPTO', 'deposit', '42500000'])
  expect((await opened(id)).step).toEqual(first.step)
})

test('behavior: the provider’s news reach the payer, and stale news change nothing', async () => {
  const { id } = await order({ amount: '20', fiat_unit: 'eur' })
  const { step } = await opened(id)
  expect(step.quote).toMatchObject({ source_currency: 'eur' })
  expect(await method(id)).toMatchObject({ estimated_total: { amount: Number(step.quote.source_total_amount), unit: 'EUR' } })
  expect(Number(step.quote.source_total_amount)).toBeGreaterThan(20.8)
  await cards.press(step.hosted_url, 'decline')
  expect(await stepOf(id)).toMatchObject({ data: { status: 'requires_payment', message: expect.stringContaining('Try another card') } })
  await cards.press(step.hosted_url, 'identity')
  expect(await stepOf(id)).toMatchObject({ data: { status: 'requires_identity' } })
  const postCallback = (body: object, secret = cardSecret) => {
    const bytes = new TextEncoder().encode(JSON.stringify(body))
    return fetch(`${payUrl}/callbacks/card`, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/json', 'till-provider-signature': signCallback(secret, bytes, Date.now()) },
    })
  }
  const old = {
    session_id: step.session_id,
    reference: id,
    status: 'rejected',
    problem: 'checkout',
    at: new Date(Date.now() - 60_000).toISOString(),
  }
  expect((await postCallback(old)).status).toBe(204)
  expect(await stepOf(id)).toMatchObject({ data: { status: 'requires_identity' } })
  expect((await postCallback({ ...old, at: new Date().toISOString() }, 'somebody else')).status).toBe(401)
  expect((await postCallback({ ...old, status: 'odd' })).status).toBe(400)
  expect((await postCallback({ ...old, reference: 'ord_none' })).status).toBe(404)
  await cards.press(step.hosted_url, 'identity_failed')
  expect(await stepOf(id)).toMatchObject({ data: { status: 'rejected', message: expect.stringContaining('who you are') } })
  const again = await opened(id)
  expect(again.step.session_id).not.toBe(step.session_id)
  expect(again.step.message).toBeUndefined()
})

test('behavior: a slow card payment is honoured even after the order’s time is over', async () => {
  const { id } = await order()
  const { step } = await opened(id)
  const releaseTokens = cards.holdTokens()
  onTestFinished(releaseTokens)
  await cards.press(step.hosted_url, 'slow')
  expect(await stepOf(id)).toMatchObject({ data: { status: 'fulfillment_processing' } })
  await takesNothingElse(id)
  await stage.database.sql`update orders set state = jsonb_set(state, '{expiresAt}', to_jsonb(1)), next_tick = now() where id = ${id}`
  await untilStatus(client, id, 'EXPIRED')
  await takesNothingElse(id)
  releaseTokens()
  await untilStatus(client, id, 'COMPLETED')
})

/** A payer who has paid by card must not be asked to pay again. */
async function takesNothingElse(id: string) {
  const refused = await client.refused('requestPayment', 409, inCrypto(id))
  expect(refused.message).toBe('A card payment is on its way: nothing else is due.')
  const { methods } = await client.ask('paymentMethods', { params: { order_id: id }, headers: inFrance })
  expect(methods.map(({ available }) => available)).toEqual([false, false, false])
}

test('behavior: a card that is charged after the payer chose another way counts all the same', async () => {
  const { id } = await order()
  const { step } = await opened(id)
  await client.ask('requestPayment', inCrypto(id))
  expect(await stepOf(id)).toMatchObject({ kind: 'deposit' })
  const releaseTokens = cards.holdTokens()
  onTestFinished(releaseTokens)
  await cards.press(step.hosted_url, 'slow')
  expect(await stepOf(id)).toMatchObject({ kind: 'stripe_onramp', data: { status: 'fulfillment_processing' } })
  await takesNothingElse(id)
  releaseTokens()
  await untilStatus(client, id, 'COMPLETED')
})

test('behavior: a payer who cannot use a card gets the reason', async () => {
  const { id } = await order()
  const why = async (order_id: string, headers?: Record<string, string>) => {
    const { available, reason } = await method(order_id, headers)
    expect(available).toBe(false)
    await client.refused('requestPayment', 422, pay(order_id, headers))
    return reason
  }
  expect(await why(id, { 'cf-country': 'BR' })).toBe('Cards are taken in the EU and the US only.')
  expect(await why(id, {})).toMatch(/not known/)
  expect(await why(id, { 'cf-country': 'XX' })).toMatch(/not known/)
  expect((await method(id, { 'cf-country': 'us' })).available).toBe(true)
  expect(await why((await order({}, false)).id)).toMatch(/merchant does not take cards/)
  expect(await why((await order({ amount: '4.99' })).id)).toMatch(/too small/)
  expect(await why((await order({ amount: '4.99', fiat_unit: 'eur' })).id)).toMatch(/too small/)
  expect((await method((await order({ amount: '5' })).id)).available).toBe(true)
  expect(await method((await order({ amount: '5', fiat_unit: 'eur' })).id)).toMatchObject({
    available: true,
    minimum_amount: { amount: 5, unit: 'EUR' },
  })
  expect((await method((await order({ amount: '91', fiat_unit: 'mxn' })).id)).available).toBe(true)
  expect(await why((await order({ amount: '90', fiat_unit: 'mxn' })).id)).toMatch(/too small/)

  const part = await order()
  const { data } = await client.ask('requestPayment', inCrypto(part.id))
  const [step] = data.steps
  await stage.base.sendToken(payers[1]!, 'USDC', step?.kind === 'deposit' ? step.data.deposit_address : '', 5_000_000n)
  await untilStatus(client, part.id, 'PARTIAL_PAYMENT')
  expect(await why(part.id)).toMatch(/already paid/)
})

test('behavior: without a trusted country header, or without a provider, cards are unavailable', async () => {
  const unconfigured = (await stage.merchant()).at(
    await stage.start({ CARD_URL: cards.url, CARD_SECRET: cardSecret, COUNTRY_HEADER: 'CF-Country' }),
  )
  const made = await unconfigured.ask('createOrder', {
    body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd', settings: { card_payments: true } },
  })
  const { methods } = await unconfigured.ask('paymentMethods', { params: { order_id: made.id }, headers: inFrance })
  expect(methods.find((each) => each.method === 'CARD')).toMatchObject({
    available: false,
    reason: expect.stringContaining('not known'),
    problem: 'card_unplaced',
  })
})

test('error: each failure of the provider is explained to the payer in words', async () => {
  const { id } = await order()
  const words: Record<string, string> = {
    link: 'opened',
    identity: 'who you are',
    payment_method: 'another card',
    session: 'Nothing was charged',
    checkout: 'did not go through',
  }
  for (const [problem, text] of Object.entries(words)) {
    await cards.wish({ refuses: problem })
    expect((await client.refused('requestPayment', 422, pay(id))).message).toContain(text)
  }
  await cards.wish({ refuses: null, down: true })
  expect((await client.refused('requestPayment', 502, pay(id))).message).toContain('could not be opened')
  await cards.wish({ down: false })
  const { step } = await opened(id)
  await cards.press(step.hosted_url, 'checkout_failed')
  await untilOrder(client, id, ({ payment }) => payment?.steps[0]?.kind === 'stripe_onramp' && payment.steps[0].data.status === 'rejected')
})

test.each([
  ['2.9%', true],
  ['2.9% + 0.30', true],
  ['0%+1', true],
  ['2.9', false],
  ['100%', false],
  ['-1%', false],
  ['2.9% + 0.305', false],
])('behavior: CARD_FEE %s', (fee, isGood) => {
  let mistakes: readonly string[] = []
  try {
    // The other settings are missing, which is said as well.
    readConfig({ DATABASE_URL: 'postgres://till', CARD_URL: 'https://card.example', CARD_SECRET: cardSecret, CARD_FEE: fee })
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    mistakes = error.mistakes
  }
  expect(mistakes.some((mistake) => mistake.startsWith('TILL_CHAINS is missing'))).toBe(true)
  expect(mistakes.some((mistake) => mistake.startsWith('CARD_FEE must be'))).toBe(!isGood)
})

test('error: CARD_FEE without a provider is a mistake', () => {
  expect(() => readConfig({ DATABASE_URL: 'postgres://till', CARD_FEE: '2.9%' })).toThrow('CARD_URL is missing: CARD_FEE says')
})
