import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { putOrganization } from '../../server/organizations/organizations.ts'
import { callbackHeader, signCallback } from '../../server/providers/callback.ts'
import { type Client, createClient, signature, signedHeaders } from '../support/client/client.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { untilStatus, checkout } from '../support/orders/payments.ts'
import { payers } from '../../local/chains/accounts.ts'
import { until } from '../support/wait.ts'

/** Bank deposits, verifications, email challenges, API keys and the fee balance, against providers played by the test. */

let stage: Stage
let provider: Server
let process: Process
let merchant: Merchant
let internal: Client
let client: Client
let other: Client
const secret = 'provider-secret'
const accounts = new Map<string, string>()
const applicants: Record<string, unknown>[] = []
let down = false

beforeAll(async () => {
  provider = createServer((request, response) => {
    const answer = (status: number, body?: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body === undefined ? '' : JSON.stringify(body))
    if (down) return answer(500)
    if (request.headers.authorization !== `Bearer ${secret}`) return answer(401)
    const account = /^\/accounts\/([^/]+)$/.exec(request.url ?? '')?.[1]
    if (account) {
      const organization = accounts.get(account)
      return organization ? answer(200, { id: account, organization_id: organization, more: 'ignored' }) : answer(404)
    }
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      const body = JSON.parse(text) as Record<string, unknown>
      applicants.push(body)
      const id = `cus_${String(body.reference).slice(0, 8)}`
      answer(200, { customer_id: id, kyc_link: `https://kyc.example/${id}`, tos_link: `https://kyc.example/${id}/terms` })
    })
    return undefined
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  stage = await startStage()
  process = await stage.start({ BANK_URL: url, BANK_SECRET: secret, IDENTITY_URL: url, IDENTITY_SECRET: secret, LOG_LEVEL: 'trace' })
  merchant = await stage.merchant()
  client = merchant.at(process)
  other = (await stage.merchant()).at(process)
  const keys = { apiKey: 'pk_inside', secret: 'sk_inside' }
  await stage.database
    .sql`insert into api_keys (id, organization_id, label, api_key, secret, is_internal) values ('key_inside', ${merchant.organization.id}, 'Inside', ${keys.apiKey}, ${keys.secret}, true)`
  internal = createClient(process.baseUrl, keys)
  accounts.set('bank_one', merchant.organization.id)
})
afterAll(async () => {
  await stage?.close()
  provider?.close()
})

function callback(path: string, body: unknown, { key = secret, at = Date.now() }: { key?: string; at?: number } = {}) {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  return fetch(`${process.service.payUrl}/callbacks/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [callbackHeader]: signCallback(key, bytes, at) },
    body: bytes,
  })
}

describe('bank deposits', () => {
  const at = (minute: number) => `2026-05-12T10:${String(minute).padStart(2, '0')}:00.000Z`
  const destination = {
    currency: { chain_id: 8453, address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' },
    wallet_address: '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c',
  }
  const deposit = (id: string, minute: number, more: object = {}) => ({
    id,
    account_id: 'bank_one',
    status: 'PROCESSING',
    source_currency: 'eur',
    destination,
    settlement: null,
    created_at: at(minute),
    updated_at: at(minute),
    ...more,
  })
  const settlement = {
    source: { currency: 'eur', amount: '100.00' },
    destination: { ...destination, amount: '107.1', transaction_hash: `0x${'ab'.repeat(32)}` },
    fees: { exchange: '0.50', gas: '0.01', developer: '0' },
  }
  const list = (query?: Record<string, string>) => client.ask('bankDeposits', { params: { account_id: 'bank_one' }, query })

  test('default: the bank’s deposits are listed once each, newest first, with all members', async () => {
    expect(await list()).toEqual({ data: [], pagination: { total_count: 0, limit: 20, offset: 0 } })
    for (const minute of [1, 2, 3]) expect((await callback('bank', { deposit: deposit(`dep_${minute}`, minute) })).status).toBe(204)
    const completed = deposit('dep_2', 2, { status: 'COMPLETED', settlement, updated_at: at(9) })
    expect((await callback('bank', { deposit: completed })).status).toBe(204)
    // Repeated, stale and contradicting callbacks change nothing.
    for (const again of [completed, deposit('dep_2', 2), deposit('dep_2', 2, { updated_at: at(20) })])
      expect((await callback('bank', { deposit: again })).status).toBe(204)
    const { data, pagination } = await list()
    expect(data.map(({ id, status }) => [id, status])).toEqual([
      ['dep_3', 'PROCESSING'],
      ['dep_2', 'COMPLETED'],
      ['dep_1', 'PROCESSING'],
    ])
    expect(data[1]).toEqual(completed)
    expect(pagination.total_count).toBe(3)
    expect((await list({ limit: '1', offset: '2' })).data.map(({ id }) => id)).toEqual(['dep_1'])
    expect((await list({ offset: '100000' })).data).toEqual([])
  })

  test('error: only a fresh, signed and valid callback of the bank is accepted', async () => {
    const forged = { deposit: deposit('dep_forged', 5) }
    expect((await callback('bank', forged, { key: 'another' })).status).toBe(401)
    expect((await callback('bank', forged, { at: Date.now() - 301_000 })).status).toBe(401)
    expect((await fetch(`${process.service.payUrl}/callbacks/bank`, { method: 'POST', body: JSON.stringify(forged) })).status).toBe(401)
    expect((await callback('bank', { deposit: { ...forged.deposit, status: 'LOST' } })).status).toBe(400)
    expect((await callback('bank', { deposit: { ...forged.deposit, account_id: 'bank_none' } })).status).toBe(404)
    expect((await list()).data.some(({ id }) => id === 'dep_forged')).toBe(false)
  })

  test('error: invalid requests are 400, 401, 404 and 502', async () => {
    const params = { account_id: 'bank_one' }
    const wrong: Record<string, string>[] = [
      { limit: '0' },
      { limit: '101' },
      { limit: 'x' },
      { limit: '1.5' },
      { offset: '-1' },
      { offset: '100001' },
      { offset: '' },
    ]
    for (const query of wrong) await client.refused('bankDeposits', 400, { params, query })
    expect((await client.raw('GET', '/onramp/bank/accounts/bank_one/deposits')).status).toBe(401)
    await client.refused('bankDeposits', 404, { params: { account_id: 'bank_none' } })
    await other.refused('bankDeposits', 404, { params })
    down = true
    const refused = await client.refused('bankDeposits', 502, { params })
    expect((await callback('bank', { deposit: deposit('dep_1', 1, { updated_at: at(30) }) })).status).toBe(502)
    down = false
    expect(refused.message).toMatch(/try again/i)
  })
})

describe('verifications', () => {
  test('default: repeated requests return one customer per email and type, with the provider’s current status', async () => {
    const body = {
      email: 'Ann@Example.com',
      type: 'individual',
      full_name: 'Ann Smith',
      endorsements: ['base', 'sepa'],
      redirect_uri: 'https://shop.example/back',
    }
    const made = await client.ask('createVerification', { body })
    expect(made).toMatchObject({
      email: 'Ann@Example.com',
      type: 'individual',
      full_name: 'Ann Smith',
      kyc_status: 'not_started',
      tos_status: 'pending',
      rejection_reasons: [],
    })
    expect(applicants.at(-1)).toMatchObject({
      email: 'Ann@Example.com',
      type: 'individual',
      endorsements: ['base', 'sepa'],
      redirect_uri: 'https://shop.example/back',
    })
    const update = {
      customer_id: made.customer_id,
      kyc_status: 'rejected',
      tos_status: 'approved',
      rejection_reasons: [{ developer_reason: 'BLURRED', reason: 'The picture is blurred.', created_at: '2026-05-12T10:00:00.000Z' }],
      at: '2026-05-12T10:00:00.000Z',
    }
    expect((await callback('identity', update)).status).toBe(204)
    expect(
      (await callback('identity', { ...update, kyc_status: 'under_review', rejection_reasons: [], at: '2026-05-12T09:59:00.000Z' })).status,
    ).toBe(204)
    const before = applicants.length
    const again = await client.ask('createVerification', { body: { email: 'ann@example.COM', type: 'individual' } })
    expect(again).toEqual({ ...made, kyc_status: 'rejected', tos_status: 'approved', rejection_reasons: update.rejection_reasons })
    expect(applicants.length).toBe(before)
    const business = await client.ask('createVerification', { body: { ...body, type: 'business' } })
    expect(business.id).not.toBe(made.id)
    const theirs = await other.ask('createVerification', { body })
    expect(theirs.customer_id).not.toBe(made.customer_id)
  })

  test('behavior: concurrent requests make one customer', async () => {
    const all = await Promise.all(
      [1, 2, 3, 4, 5].map(() => client.ask('createVerification', { body: { email: 'many@example.com', type: 'individual' } })),
    )
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
  })

  test('error: an unsigned or unknown callback, an unreachable provider and an unknown type are refused', async () => {
    const update = {
      customer_id: 'cus_nobody',
      kyc_status: 'approved',
      tos_status: 'approved',
      rejection_reasons: [],
      at: '2026-05-12T10:00:00.000Z',
    }
    expect((await callback('identity', update)).status).toBe(404)
    expect((await callback('identity', update, { key: 'x' })).status).toBe(401)
    expect((await callback('identity', { ...update, kyc_status: 'fine' })).status).toBe(400)
    await client.refused('createVerification', 400, { body: { email: 'b@example.com' } })
    await client.refused('createVerification', 400, { body: { email: 'b@example.com', type: 'person' } })
    await client.refused('createVerification', 400, { body: { email: 'b@example.com', type: 'individual', endorsements: ['gold'] } })
    down = true
    await client.refused('createVerification', 502, { body: { email: 'away@example.com', type: 'individual' } })
    down = false
    expect((await client.ask('createVerification', { body: { email: 'away@example.com', type: 'individual' } })).kyc_status).toBe(
      'not_started',
    )
  })
})

describe('email challenge', () => {
  const make = (email: string) => internal.ask('createEmailChallenge', { body: { email } })
  const check = (challenge_id: string, code: string) => internal.ask('checkEmailChallenge', { body: { challenge_id, code } })

  test('default: the code is in one response, hashed at rest, in no log, and works once', async () => {
    const made = await make('challenge@example.com')
    expect(made.code).toMatch(/^\d{8}$/)
    expect(made.expires_in_seconds).toBe(600)
    const rows = await stage.database.sql`select row_to_json(c)::text as text from email_challenges c`
    const hex = Buffer.from(made.code).toString('hex')
    for (const { text } of rows) expect(text.includes(made.code) || text.includes(hex)).toBe(false)
    expect(process.service.output()).not.toContain(made.code)
    expect(await check(made.challenge_id, made.code === '00000000' ? '11111111' : '00000000')).toEqual({
      verified: false,
      attempts_left: 4,
    })
    expect(await check(made.challenge_id, made.code)).toEqual({ verified: true, attempts_left: 0 })
    expect(await check(made.challenge_id, made.code)).toEqual({ verified: false, attempts_left: 0 })
    expect(process.service.output()).not.toContain(made.code)
  })

  test('behavior: attempts are limited, a new code voids the old one, and a code expires', async () => {
    const first = await make('limited@example.com')
    const wrong = first.code === '00000000' ? '11111111' : '00000000'
    for (const left of [4, 3, 2, 1, 0]) expect((await check(first.challenge_id, wrong)).attempts_left).toBe(left)
    expect(await check(first.challenge_id, first.code)).toEqual({ verified: false, attempts_left: 0 })
    const second = await make('limited@example.com')
    const third = await make('LIMITED@example.com')
    expect((await check(second.challenge_id, second.code)).verified).toBe(false)
    await stage.database.sql`update email_challenges set expires_at = now() where id = ${third.challenge_id}`
    expect((await check(third.challenge_id, third.code)).verified).toBe(false)
  })

  test('error: an address gets five codes an hour, however it is written and however quickly they are requested', async () => {
    const results = await Promise.all(
      ['a', 'A', 'a', 'A', 'a', 'A', 'a'].map((name) =>
        internal.raw(
          'POST',
          '/off-ramp/verification/email-challenge',
          challengeRequest(internal, JSON.stringify({ email: `${name}@hour.example` })),
        ),
      ),
    )
    expect(results.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429])
    const refused = results.find(({ status }) => status === 429)!
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000)
    await stage.database
      .sql`update email_challenges set created_at = created_at - interval '61 minutes' where email_folded = 'a@hour.example'`
    expect((await make('a@hour.example')).code).toBeDefined()
  })

  test('error: another key is 403, a signature without the body 401, and browsers may not read the response', async () => {
    const body = JSON.stringify({ email: 'x@example.com' })
    const path = '/off-ramp/verification/email-challenge'
    expect((await client.refused('createEmailChallenge', 403, { body: { email: 'x@example.com' } })).message).toMatch(/internal/i)
    await client.refused('checkEmailChallenge', 403, { body: { challenge_id: 'chl_x', code: '123456' } })
    await internal.refused('checkEmailChallenge', 404, { body: { challenge_id: 'chl_x', code: '123456' } })
    const json = { 'content-type': 'application/json' }
    expect((await internal.raw('POST', path, { body, headers: { ...json, ...signedHeaders(internal.keys, 'POST', path) } })).status).toBe(
      401,
    )
    expect(
      (
        await internal.raw('POST', path, {
          body,
          headers: {
            ...json,
            authorization: internal.keys.apiKey,
            'authorization-signature': signature(internal.keys, 'POST', path, undefined, `${body} `),
          },
        })
      ).status,
    ).toBe(401)
    const answer = await internal.raw('POST', path, {
      ...challengeRequest(internal, body),
      headers: { ...challengeRequest(internal, body).headers, origin: 'https://evil.example' },
    })
    expect(answer.status).toBe(200)
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(
      (
        await fetch(`${process.baseUrl}${path}`, {
          method: 'OPTIONS',
          headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
        })
      ).headers.get('access-control-allow-origin'),
    ).toBeNull()
  })

  const challengeRequest = ({ keys }: Client, body: string) => ({
    body,
    headers: {
      'content-type': 'application/json',
      ...signedHeaders(keys, 'POST', '/off-ramp/verification/email-challenge', undefined, body),
    },
  })
})

describe('API keys', () => {
  test('default: keys are listed without their secrets, with new labels and their last use', async () => {
    const { data } = await other.ask('listApiKeys')
    expect(data).toHaveLength(1)
    const [key] = data
    expect(key!.api_key_last_four).toBe(other.keys.apiKey.slice(-4))
    expect(JSON.stringify(data)).not.toContain(other.keys.secret)
    const label = '🔑'.repeat(50)
    const changed = await other.ask('changeApiKey', { params: { api_key_id: key!.id }, body: { label } })
    expect(changed).toMatchObject({ id: key!.id, label })
    expect(changed.updated_at > key!.updated_at).toBe(true)
    await other.refused('changeApiKey', 400, { params: { api_key_id: key!.id }, body: { label: 'x'.repeat(101) } })
    await other.refused('changeApiKey', 400, { params: { api_key_id: key!.id }, body: {} })
    await client.refused('changeApiKey', 404, { params: { api_key_id: key!.id }, body: { label: 'mine' } })
    // Last uses are written every ten seconds or so, not with each call.
    const used = await until(async () => (await other.ask('listApiKeys')).data[0]!.last_used_at, { every: 500 })
    expect(Date.parse(used)).toBeGreaterThanOrEqual(Date.parse(key!.created_at))
    const versions = new Set<string>()
    for (let call = 0; call < 50; call++) {
      await other.ask('listApiKeys')
      const [row] = await stage.database.sql`select xmin::text as version from api_keys where id = ${key!.id}`
      versions.add(row!.version as string)
    }
    // A write with each call would make fifty versions. A slow run sees one more for every ten seconds that it takes.
    expect(versions.size).toBeLessThan(20)
  })
})

describe('the fee balance', () => {
  const fees = { customBps: 150, protocolBps: 0, relayerUsd: '0', gasUsd: '0' }
  const sell = async (earner: Merchant, amount = '42.50') => {
    const earns = earner.at(process)
    const order = await checkout(earns, { amount, fiat_unit: 'usd' })
    await stage.base.sendToken(payers[7]!, 'USDC', order.deposit, order.required)
    await untilStatus(earns, order.id, 'COMPLETED')
  }
  const collected = async (earner: Merchant): Promise<bigint> => {
    const [row] = await stage.database
      .sql`select sum(amount)::text as amount from ledger where organization_id = ${earner.organization.id} and account = 'fees'`
    return BigInt(row!.amount as string)
  }
  const balance = async (earner: Merchant) => (await earner.at(process).ask('feeBalance')).fee_balance

  test('default: fees that another collects are owed at each order’s frozen price, and no cent more', async () => {
    const earner = await stage.merchant({ fees })
    expect(await balance(earner)).toEqual({ amount_cents: 0, fiat: 'usd' })
    await sell(earner)
    const cents = Number((await collected(earner)) / 10_000n)
    expect(cents).toBeGreaterThan(60)
    expect(await balance(earner)).toEqual({ amount_cents: cents, fiat: 'usd' })
    // The market price does not change fees that are already earned.
    stage.prices.set('usdc', { usd: '2' })
    expect((await balance(earner)).amount_cents).toBe(cents)
    stage.prices.set('usdc', { usd: '1' })
    // The service may have read the other price in between, and the next orders need this one.
    await until(async () => (await checkout(client, { amount: '1', fiat_unit: 'usd' })).required === 1_000_000n)
    expect((await client.ask('feeBalance')).fee_balance.amount_cents).toBe(0)
  })

  test('behavior: fees paid to the organisation itself are not claimable, even after it changed its recipient', async () => {
    const own = '0x00000000000000000000000000000000000c0ffe'
    const earner = await stage.merchant({ fees, settlement: { recipient: own, feeCollector: own } })
    await sell(earner)
    expect(await collected(earner)).toBeGreaterThan(600_000n)
    expect(await balance(earner)).toEqual({ amount_cents: 0, fiat: 'usd' })
    const [settlement] = earner.organization.settlements
    const moved = { ...settlement, recipient: '0x00000000000000000000000000000000000c0fff' }
    await putOrganization(stage.database.sql, { ...earner.organization, settlements: [moved] }, [])
    expect(await balance(earner)).toEqual({ amount_cents: 0, fiat: 'usd' })
  })

  test('behavior: the service’s own fees are not owed', async () => {
    const earner = await stage.merchant({ fees: { ...fees, protocolBps: 50 } })
    await sell(earner, '100')
    expect(await collected(earner)).toBe(2_000_000n)
    expect((await balance(earner)).amount_cents).toBe(150)
  })
})
