import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checksumAddress } from 'viem'
import { payers } from '../../local/chains/accounts.ts'
import { type Client, now, signature, signedHeaders } from '../support/client/client.ts'
import { checkout, untilStatus } from '../support/orders/payments.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'

/** A refusal names the member and says in plain words what to do. Members that cannot be meant are refused, not ignored. */

let stage: Stage
let process: Process
let merchant: Merchant
let client: Client
beforeAll(async () => {
  stage = await startStage()
  ;[process, merchant] = await Promise.all([stage.start(), stage.merchant()])
  client = merchant.at(process)
})
afterAll(async () => {
  await stage?.close()
})

const sale = { mode: 'SALE', amount: '10', fiat_unit: 'usd' }
const invoice = {
  from: { email: 'a@b.example', name: 'A' },
  recipient: { email: 'c@d.example', name: 'C' },
  invoice: { no: '1', date: '2026-05-12', due_date: '2026-05-13' },
  items: [{ name: 'x', quantity: '1', tax: '7', unitPrice: '2' }],
}
const issuesOf = (details: unknown) => (details as { issues: { path: string; message: string }[] }).issues

describe('readable error messages', () => {
  test.each([
    ['a member that is missing', { ...invoice, from: undefined }, 'from', 'is missing'],
    [
      'a number for text',
      { ...invoice, items: [{ name: 'x', quantity: 1, unitPrice: '5' }] },
      'items.0.quantity',
      'expected a string, got a number',
    ],
    [
      'a misspelt member',
      { ...invoice, items: [{ name: 'x', quantity: '1', unitPrice: '5', unit_price: '5' }] },
      'items.0.unit_price',
      'this API knows no such member here: check its spelling, or leave it out',
    ],
    ['another currency', { ...invoice, fiat_unit: 'chf' }, 'fiat_unit', 'must be one of usd, eur, mxn, brl, gbp, cop'],
    ['an id that is none', { id: 'a b' }, 'id', 'must be an id as this service gave it'],
    ['an id and more', { id: 'inv_1', locale: 'de' }, 'locale', 'this API knows no such member here: check its spelling, or leave it out'],
    ['no list', { ...invoice, items: {} }, 'items', 'expected a list, got an object'],
    ['an empty list', { ...invoice, items: [] }, 'items', 'must have at least 1 entry'],
    ['no date', { ...invoice, invoice: { ...invoice.invoice, date: 'tomorrow' } }, 'invoice.date', 'must be a date like 2026-05-12'],
    ['no address', { ...invoice, from: { name: 'A', email: 'a' } }, 'from.email', 'must be an e-mail address'],
    ['null', { ...invoice, recipient: null }, 'recipient', 'expected an object, got null'],
    ['empty text', { ...invoice, from: { ...invoice.from, name: '' } }, 'from.name', 'must not be empty'],
  ])('behavior: POST /invoices names %s', async (_, body, path, message) => {
    const refusal = await client.refused('createInvoice', 400, { body })
    expect(issuesOf(refusal.details)).toEqual([{ path, message }])
    expect(refusal.message).toBe(`Invalid body: ${path}: ${message}.`)
  })

  test('behavior: query errors use our own words', async () => {
    expect((await client.refused('listOrders', 400, { query: { limit: '101' } })).message).toBe(
      'Invalid query: limit: must be at most 100.',
    )
    expect((await client.refused('listOrders', 400, { query: { status: 'PAID' } })).message).toMatch(
      /^Invalid query: status: must be one of PENDING, /,
    )
    // Unknown query parameters are ignored because links carry tracking tags.
    expect((await client.ask('listOrders', { query: { utm_source: 'mail' } })).pagination.limit).toBe(20)
  })

  test('behavior: several mistakes are named at once', async () => {
    const refusal = await client.refused('createOrder', 400, {
      body: { mode: 'SALE', amount: 5, receipient: 'x', settings: { hide_foter: true } },
    })
    expect(issuesOf(refusal.details).map(({ path }) => path)).toEqual(['amount', 'settings.hide_foter', 'receipient'])
  })
})

describe('unknown members', () => {
  test.each([
    ['at the top', { recipeint: '0x' }, 'recipeint'],
    ['in a currency', { currency: { chain_id: 8453, adress: null } }, 'currency.adress'],
    ['in settings', { settings: { return_to: 'https://shop.example' } }, 'settings.return_to'],
    ['in an item', { metadata: { items: [{ name: 'x', unitPrice: 5 }] } }, 'metadata.items.0.unitPrice'],
  ])('error: an unknown member %s is refused', async (_, more, path) => {
    const refusal = await client.refused('createOrder', 400, { body: { ...sale, ...more } })
    expect(issuesOf(refusal.details).map((issue) => issue.path)).toEqual([path])
  })

  test('behavior: metadata keeps up to twenty members of the merchant unchanged', async () => {
    const own = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`cart_${index}`, `value ${index}`]))
    const made = await client.ask('createOrder', { body: { ...sale, metadata: { reference: 'NW-1', ...own } } })
    expect((await client.ask('getOrder', { params: { order_id: made.id } })).metadata).toEqual({ reference: 'NW-1', ...own })
    const refused = async (metadata: object) =>
      issuesOf((await client.refused('createOrder', 400, { body: { ...sale, metadata } })).details)[0]
    expect(await refused({ ...own, one: 'more' })).toEqual({ path: 'metadata', message: 'must have at most 20 members of your own' })
    expect((await refused({ cart: 7 }))?.path).toBe('metadata.cart')
    expect((await refused({ cart: 'x'.repeat(501) }))?.path).toBe('metadata.cart')
    expect((await refused({ '<b>': 'x' }))?.path).toBe('metadata.<b>')
  })
})

describe('amounts', () => {
  test('behavior: without a fiat unit or a currency the amount is in the settlement asset', async () => {
    const order = await client.ask('createOrder', { body: { mode: 'SALE', amount: '10.5' } })
    expect(order.fulfillment).toMatchObject({ amount: { raw: '10500000' }, asset: { symbol: 'USDC' } })
    expect(order.fulfillment.fiat_unit).toBeUndefined()
  })

  test('error: more decimals than the currency has are refused', async () => {
    const refusal = await client.refused('createOrder', 422, { body: { mode: 'SALE', amount: '1.0000001' } })
    expect(issuesOf(refusal.details)).toEqual([{ path: 'amount', message: 'must have at most 6 decimals' }])
    const currency = { chain_id: 8453, address: null }
    expect((await client.ask('createOrder', { body: { mode: 'SALE', amount: '1.0000001', currency } })).fulfillment.asset.symbol).toBe(
      'ETH',
    )
    await client.refused('createOrder', 422, { body: { mode: 'SALE', amount: '0.0000000000000000001', currency } })
    // Trailing zeros are not extra precision.
    await client.ask('createOrder', { body: { mode: 'SALE', amount: '1.0000000' } })
  })
})

describe('checksums', () => {
  const right = checksumAddress(`0x${'c0ffee'.repeat(6)}beef`)
  /** The address with one wrong digit and the case of the others unchanged. */
  const mistyped = right.replace('beef'.slice(0, 1), '8').replace(/[bB](?=[^bB]*$)/, '8')
  const refusedAt = async (name: Parameters<Client['refused']>[0], path: string, sent: Parameters<Client['refused']>[2]) => {
    const { details } = await client.refused(name, 422, sent)
    expect([issuesOf(details)[0]?.path, (details as { problem: string }).problem]).toEqual([path, 'address_mistyped'])
  }
  const flipped = (address: string) => address.replace(/[a-fA-F]/, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
  const token = () => checksumAddress(stage.base.token('USDC') as `0x${string}`)

  test('error: a bad checksum is refused where money is sent and where a token is looked up', async () => {
    expect(mistyped).not.toBe(right)
    const { id } = await client.ask('createOrder', { body: sale })
    const path = { params: { order_id: id } }
    const source = (address: string) => ({ source: { payment_rail: 'CRYPTO', currency: { chain_id: 8453, address } } })
    const bad = { chain_id: 8453, address: flipped(token()) }
    await refusedAt('createOrder', 'recipient', { body: { ...sale, recipient: mistyped } })
    await refusedAt('createOrder', 'currency.address', { body: { ...sale, currency: bad } })
    await refusedAt('requestPayment', 'refund_address', { ...path, body: { ...source(token()), refund_address: mistyped } })
    await refusedAt('requestPayment', 'source.currency.address', { ...path, body: source(flipped(token())) })
    const swap = { source: bad, destination: { chain_id: 8453, address: null }, amount: '1', trade_type: 'EXACT_INPUT' }
    await refusedAt('swapQuote', 'source.address', { body: swap })
    await refusedAt('swapQuote', 'recipient', { body: { ...swap, source: { ...bad, address: token() }, recipient: mistyped } })
    const wallet = { address: mistyped, chain_type: 'EVM', chain_ids: [8453] }
    await refusedAt('orderQuotes', 'filter.sources.0.address', { ...path, body: { filter: { wallet, sources: [bad] } } })
    // An address that is only read needs no checksum.
    await client.ask('orderQuotes', { ...path, body: { filter: { wallet } } })
    await client.ask('portfolio', { body: { wallets: [wallet] } })
  })

  test('behavior: the right checksum, lower case and upper case are accepted', async () => {
    for (const recipient of [right, mistyped.toLowerCase(), `0x${mistyped.slice(2).toUpperCase()}`])
      expect((await client.ask('createOrder', { body: { ...sale, recipient } })).fulfillment.recipient.toLowerCase()).toBe(
        recipient.toLowerCase(),
      )
  })

  test('error: a refund to the zero address, a token or one of our deposit addresses is refused', async () => {
    const paying = await checkout(client, { amount: '10', fiat_unit: 'usd' })
    const refuse = async (refund_address: string) => {
      const { details } = await client.refused('requestPayment', 422, {
        ...paying.path,
        body: { source: { payment_rail: 'CRYPTO', currency: { chain_id: 8453, address: token() } }, refund_address },
      })
      return (details as { problem?: string }).problem
    }
    expect(await refuse(`0x${'0'.repeat(40)}`)).toBe('address_lost')
    expect(await refuse(token())).toBe('address_lost')
    expect(await refuse(stage.ethereum.token('USDC'))).toBe('address_lost')
    expect(await refuse(paying.deposit)).toBe('address_ours')
    expect(await refuse(paying.deposit.toLowerCase())).toBe('address_ours')
  })

  test('error: a signed refund is refused too', async () => {
    const paying = await checkout(client, { amount: '10', fiat_unit: 'usd' })
    await stage.base.sendToken(payers[6]!, 'USDC', paying.deposit, paying.required)
    await untilStatus(client, paying.id, 'COMPLETED')
    const refund = (body: object) => ({ ...paying.path, body: { amount: '1', ...body }, headers: { 'idempotency-key': 'r' } })
    await refusedAt('refundOrder', 'recipient', refund({ recipient: mistyped }))
    await refusedAt(
      'refundOrder',
      'currency.address',
      refund({ recipient: right, currency: { chain_id: 8453, address: flipped(token()) } }),
    )
  })
})

describe('idempotency keys', () => {
  const deposit = () => ({
    mode: 'DEPOSIT',
    amount: '1',
    currency: { chain_id: 8453, address: stage.base.token('USDC') },
    recipient: payers[0]!.address,
  })

  test('behavior: an unsigned call cannot take the idempotency key of a signed one', async () => {
    const { apiKey } = merchant.keys
    const key = { 'idempotency-key': 'order-1' }
    const unsignedAnswer = await client.raw('POST', '/orders', {
      body: JSON.stringify(deposit()),
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...key },
    })
    expect(unsignedAnswer.status).toBe(201)
    const mine = await client.ask('createOrder', { body: sale, headers: key })
    expect((await client.ask('createOrder', { body: sale, headers: key })).id).toBe(mine.id)
  })

  test('behavior: a signed call’s answer is not replayed to an unsigned caller', async () => {
    const headers = { 'idempotency-key': 'order-2' }
    const body = JSON.stringify(sale)
    await client.ask('createOrder', { body: sale, headers })
    const unsignedAnswer = await client.raw('POST', '/orders', {
      body,
      headers: { 'x-api-key': merchant.keys.apiKey, 'content-type': 'application/json', ...headers },
    })
    expect([unsignedAnswer.status, unsignedAnswer.text]).toEqual([401, expect.not.stringContaining('ord_')])
  })

  test('behavior: two API keys of one organisation are separate callers, but one when they sign', async () => {
    const second = { apiKey: `${merchant.keys.apiKey}_2`, secret: 'sk_2' }
    const row = { id: `key_${second.apiKey}`, api_key: second.apiKey, secret: second.secret, organization_id: merchant.organization.id }
    await stage.database.sql`insert into api_keys ${stage.database.sql(row)}`
    const ask = async (headers: Record<string, string>) => {
      const answer = await client.raw('POST', '/orders', {
        body: JSON.stringify(deposit()),
        headers: { 'content-type': 'application/json', 'idempotency-key': 'order-3', ...headers },
      })
      return (answer.json() as { id: string }).id
    }
    const unsigned = [await ask({ 'x-api-key': merchant.keys.apiKey }), await ask({ 'x-api-key': second.apiKey })]
    expect(unsigned[0]).not.toBe(unsigned[1])
    expect(await ask({ 'x-api-key': second.apiKey })).toBe(unsigned[1])
    const signed = [await ask(signedHeaders(merchant.keys, 'POST', '/orders')), await ask(signedHeaders(second, 'POST', '/orders'))]
    expect(signed[0]).toBe(signed[1])
    expect(unsigned).not.toContain(signed[0])
  })
})

test('error: a timestamp with a leading zero is refused because it could be the end of the path', async () => {
  const timestamp = `0${now()}`
  const answer = await client.raw('GET', '/orders', {
    headers: { authorization: merchant.keys.apiKey, 'authorization-signature': signature(merchant.keys, 'GET', '/orders', timestamp) },
  })
  expect(answer.status).toBe(401)
})

test('behavior: KEY calls also accept the key in Authorization alone', async () => {
  const { id } = await client.ask('createOrder', { body: sale })
  expect((await client.raw('GET', `/orders/${id}`, { headers: { authorization: merchant.keys.apiKey } })).status).toBe(200)
})

test('error: a database with a full disk is a 503 with Retry-After, and nothing is lost', async () => {
  const { sql } = stage.database
  await sql`
    create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file "base/1/1": No space left on device' using errcode = '53100'; end $$`
  await sql`create trigger no_room before insert on orders for each row execute function no_room()`
  const headers = { 'idempotency-key': 'order-4' }
  const answer = await client.raw('POST', '/orders', {
    body: JSON.stringify(sale),
    headers: { ...signedHeaders(merchant.keys, 'POST', '/orders'), 'content-type': 'application/json', ...headers },
  })
  expect([answer.status, answer.headers.get('retry-after'), answer.text]).toEqual([503, '5', expect.not.stringContaining('base/1/1')])
  await sql`drop trigger no_room on orders`
  const made = await client.ask('createOrder', { body: sale, headers })
  expect((await client.ask('createOrder', { body: sale, headers })).id).toBe(made.id)
  expect(process.service.output()).toMatch(/"level":40[^\n]*No space left on device/)
  expect(process.service.output()).not.toMatch(/"level":50/)
})
