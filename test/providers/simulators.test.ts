import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen, type Listening } from '../../server/http/listen.ts'
import { bankSimulator } from '../../local/simulators/bank.ts'
import { identitySimulator } from '../../local/simulators/identity.ts'
import { type BankCallback, httpBank } from '../../server/providers/bank.ts'
import { callbackHeader } from '../../server/providers/callback.ts'
import { httpIdentity, type IdentityCallback } from '../../server/providers/identity.ts'
import { bankContract } from '../contracts/bank.ts'
import { identityContract } from '../contracts/identity.ts'
import { callbackContract } from '../contracts/provider.ts'

/** Local mode's simulators fulfil the contracts of real providers, and the service parses their callbacks. */

const secret = 'shared'
const destination = {
  currency: { chain_id: 8453 as const, address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' },
  wallet_address: '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c',
}
const callbacks: { path: string; payload: unknown }[] = []
let opened: Listening
let folder: string
const at = () => `http://127.0.0.1:${opened.port}`
const bank = () => httpBank({ url: `${at()}/bank`, secret })
const identity = () => httpIdentity({ url: `${at()}/identity`, secret })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'till-identity-'))
  const bankSide = bankSimulator({ secret, accounts: new Map([['bank_local', { organizationId: 'org_local', destination }]]), payUrl: at })
  const identitySide = identitySimulator({ secret, payUrl: at, folder })
  const app = new Hono()
  app.route('/bank', bankSide.provider)
  app.route('/identity', identitySide.provider)
  app.route('/', bankSide.controls)
  app.route('/', identitySide.controls)
  app.post('/callbacks/:which', async (c) => {
    const bytes = new Uint8Array(await c.req.arrayBuffer())
    const read = (c.req.param('which') === 'bank' ? bank() : identity()).read(c.req.header(callbackHeader), bytes, Date.now())
    if (read.is !== 'valid') return c.text(read.is, 400)
    callbacks.push({ path: c.req.path, payload: read.payload })
    return c.body(null, 204)
  })
  opened = await listen((request) => app.fetch(request), { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  opened?.server.closeAllConnections()
  await opened?.close()
  rmSync(folder, { recursive: true, force: true })
})

const post = (path: string, body: unknown) =>
  fetch(at() + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const down = (which: string) => async (down: boolean) => void (await post(`/test/${which}`, { down }))
const payloadsOf = <T>(path: string): T[] => callbacks.filter((callback) => callback.path === path).map((callback) => callback.payload as T)

describe('bank', () => {
  bankContract(() => ({ bank: bank(), account: { id: 'bank_local', organization_id: 'org_local' }, setDown: down('bank') }))
  const deposit = {
    id: 'dep_1',
    account_id: 'bank_local',
    status: 'PROCESSING',
    source_currency: 'eur',
    destination,
    settlement: null,
    created_at: '2026-05-12T10:00:00.000Z',
    updated_at: '2026-05-12T10:00:00.000Z',
  }
  callbackContract(() => ({ secret, provider: bank(), good: { deposit }, bad: { deposit: { ...deposit, source_currency: 'chf' } } }))

  test('behavior: a transfer is reported when it starts and when it ends, with exact decimals', async () => {
    expect((await post('/test/bank/accounts/bank_local/deposits', { amount: '1234.56' })).status).toBe(201)
    const updates = payloadsOf<BankCallback>('/callbacks/bank')
      .slice(-2)
      .map(({ deposit }) => deposit)
    expect(updates.map(({ status }) => status)).toEqual(['PROCESSING', 'COMPLETED'])
    expect(updates[1]!.settlement).toMatchObject({
      source: { currency: 'eur', amount: '1234.56' },
      destination: { ...destination, amount: '1222.22' },
      fees: { exchange: '12.34' },
    })
  })
})

describe('identity', () => {
  identityContract(() => ({ identity: identity(), setDown: down('identity') }))
  const payload = {
    customer_id: 'cus_1',
    kyc_status: 'approved',
    tos_status: 'approved',
    rejection_reasons: [],
    at: '2026-05-12T10:00:00.000Z',
  }
  callbackContract(() => ({ secret, provider: identity(), good: payload, bad: { ...payload, tos_status: 'maybe' } }))

  test('behavior: its page shows the decision and notifies the service', async () => {
    const customer = await identity().start({
      reference: 'page',
      type: 'business',
      email: '<b>@example.com',
      full_name: '<script>alert(1)</script>',
      endorsements: undefined,
      redirect_uri: 'https://shop.example/?a="b"',
    })
    const page = await (await fetch(customer.kyc_link)).text()
    expect(page).toContain('not_started')
    expect(page).not.toContain('<script>')
    const form = (path: string, fields: Record<string, string>) =>
      fetch(path, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) })
    expect((await form(customer.kyc_link, { kyc_status: 'rejected', reason: 'Too dark.' })).status).toBe(303)
    expect((await form(customer.tos_link, {})).status).toBe(303)
    expect(payloadsOf<IdentityCallback>('/callbacks/identity').slice(-2)).toMatchObject([
      { customer_id: customer.customer_id, kyc_status: 'rejected', tos_status: 'pending', rejection_reasons: [{ reason: 'Too dark.' }] },
      { kyc_status: 'rejected', tos_status: 'approved' },
    ])
  })
})
