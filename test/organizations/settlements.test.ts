import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalMailbox, startMailbox } from '../../local/mailbox.ts'
import { organizationById, putOrganization } from '../../server/organizations/organizations.ts'
import type { Client } from '../support/client/client.ts'
import { checkout } from '../support/orders/payments.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** Where an organisation is paid, as its merchant reads and changes it. */

let stage: Stage
let mailbox: LocalMailbox
let delayed: Process
let atOnce: Process
beforeAll(async () => {
  ;[stage, mailbox] = await Promise.all([startStage(), startMailbox()])
  delayed = await stage.start({ SMTP_URL: mailbox.url })
  atOnce = await stage.start({ SETTLEMENT_DELAY_SECONDS: '0' })
})
afterAll(async () => {
  await stage?.close()
  await mailbox?.stop()
})

const someone = () => privateKeyToAddress(generatePrivateKey()).toLowerCase()
const usdc = (chain_id: 1 | 8453) => ({ chain_id, address: (chain_id === 1 ? stage.ethereum : stage.base).token('USDC') })
const put = (client: Client, settlements: readonly object[], more: object = {}) =>
  client.ask('putSettlements', { body: { settlements, ...more } })
const refused = (client: Client, settlements: readonly object[], status = 422) =>
  client.refused('putSettlements', status, { body: { settlements } })
const merchantWithMail = () => stage.merchant({ email: `${someone()}@northwind.example` })
const mailTo = ({ organization: { email } }: Merchant) =>
  until(async () => mailbox.messages.find(({ to }) => to.includes(email!)), { what: 'a mail about the change' })

test('default: a list is in force at once where the operator wants no delay, and orders keep the list with which they were made', async () => {
  const merchant = await stage.merchant()
  const client = merchant.at(atOnce)
  const before = await client.ask('getSettlements')
  expect(before).toEqual({ settlements: [{ ...usdc(8453), recipient: merchant.recipient, fee_collector: expect.any(String) }] })
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  const [first, second] = [someone(), someone()]
  const answer = await put(client, [
    { ...usdc(1), recipient: first },
    { chain_id: 8453, address: null, recipient: second },
  ])
  const collector = before.settlements[0]!.fee_collector
  expect(answer).toEqual({
    settlements: [
      { ...usdc(1), recipient: first, fee_collector: collector },
      { chain_id: 8453, address: null, recipient: second, fee_collector: collector },
    ],
  })
  expect(await client.ask('getSettlements')).toEqual(answer)
  expect(await client.ask('getOrder', order.path)).toMatchObject({ fulfillment: { recipient: merchant.recipient } })
  const next = await client.ask('createOrder', { body: { mode: 'SALE', amount: '20', fiat_unit: 'usd' } })
  expect(next).toMatchObject({ fulfillment: { recipient: first, asset: { chain_id: 1 } }, settlements: [{}, { recipient: second }] })
})

test('default: a change is pending for a day, and mailed at once with a link that cancels it', async () => {
  const merchant = await merchantWithMail()
  const client = merchant.at(delayed)
  const recipient = someone()
  const asked = await put(client, [{ ...usdc(8453), recipient }])
  expect(asked).toMatchObject({ settlements: [{ recipient: merchant.recipient }], pending: { settlements: [{ recipient }] } })
  expect(Date.parse(asked.pending!.in_force_at) - Date.parse(asked.pending!.asked_at)).toBe(86_400_000)
  const { email } = await mailTo(merchant)
  expect(email.subject).toContain(merchant.organization.name)
  expect(email.text).toContain(`USDC on Base to ${recipient}`)
  const link = /http\S+\/settlements\/\S+/.exec(email.text!)![0]
  const page = await (await fetch(link)).text()
  expect(page).toContain(`USDC on Base to ${recipient}`)
  expect(await client.ask('getSettlements')).toHaveProperty('pending')
  expect((await fetch(link, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
  expect(await (await fetch(link, { method: 'POST' })).text()).toContain('The change is cancelled')
  expect(await client.ask('getSettlements')).toEqual({ settlements: asked.settlements })
  expect([(await fetch(link)).status, (await fetch(link, { method: 'POST' })).status]).toEqual([404, 404])
})

test('behavior: a pending list comes into force by itself, and cannot be cancelled from then on', async () => {
  const merchant = await merchantWithMail()
  const client = merchant.at(delayed)
  const recipient = someone()
  await put(client, [{ ...usdc(1), recipient }])
  const link = /http\S+\/settlements\/\S+/.exec((await mailTo(merchant)).email.text!)![0]
  const { sql } = stage.database
  await until(
    async () =>
      (
        await sql`select 1 from settlement_changes where organization_id = ${merchant.organization.id} and announced and asked_by = 'api'`
      )[0],
  )
  await sql`update settlement_changes set in_force_at = now() where organization_id = ${merchant.organization.id} and in_force_at > now()`
  const { settlements, pending } = await client.ask('getSettlements')
  expect([settlements[0]?.recipient, pending]).toEqual([recipient, undefined])
  expect((await fetch(link, { method: 'POST' })).status).toBe(404)
})

test('behavior: a newer list replaces the one that is pending, and the operator’s replaces both', async () => {
  const merchant = await merchantWithMail()
  const client = merchant.at(delayed)
  const [first, second, third] = [someone(), someone(), someone()]
  await put(client, [{ ...usdc(8453), recipient: first }])
  await put(client, [{ ...usdc(8453), recipient: second }])
  expect(await client.ask('getSettlements')).toMatchObject({ pending: { settlements: [{ recipient: second }] } })
  const { sql } = stage.database
  const [settlement] = merchant.organization.settlements
  await putOrganization(sql, { ...merchant.organization, settlements: [{ ...settlement, recipient: third }] }, [])
  expect(await client.ask('getSettlements')).toMatchObject({ settlements: [{ recipient: third }] })
  expect(await client.ask('getSettlements')).not.toHaveProperty('pending')
  // The log keeps every list that was ever asked for.
  const log =
    await sql`select asked_by, cancelled_at is not null as cancelled from settlement_changes where organization_id = ${merchant.organization.id} order by number`
  expect(log.map(({ asked_by, cancelled }) => [asked_by, cancelled])).toEqual([
    ['operator', false],
    ['api', true],
    ['api', true],
    ['operator', false],
  ])
})

test('error: a merchant is mailed about ten changes a day at most', async () => {
  const merchant = await merchantWithMail()
  const client = merchant.at(delayed)
  const change = () => [{ ...usdc(8453), recipient: someone() }]
  for (let count = 0; count < 10; count++) await put(client, change())
  await refused(client, change(), 429)
})

test('behavior: a list does not come into force before its owner has been mailed, and is cancelled if that is impossible', async () => {
  const merchant = await merchantWithMail()
  const client = merchant.at(delayed)
  const { id } = merchant.organization
  const { sql } = stage.database
  mailbox.answerWith('busy')
  await put(client, [{ ...usdc(1), recipient: someone() }])
  await sql`update settlement_changes set in_force_at = now() - interval '1 hour' where organization_id = ${id} and asked_by = 'api'`
  const { settlements, pending } = await client.ask('getSettlements')
  expect([settlements[0]?.recipient, pending?.settlements.length]).toEqual([merchant.recipient, 1])
  mailbox.answerWith('no_such_user')
  const retry = () =>
    sql`update mails set next_at = now() where settlement_change in (select number from settlement_changes where organization_id = ${id})`
  await until(async () => (await retry(), !(await client.ask('getSettlements')).pending))
  mailbox.answerWith(undefined)
  expect((await client.ask('getSettlements')).settlements[0]?.recipient).toBe(merchant.recipient)
})

test('behavior: two lists that are asked for at once leave one pending', async () => {
  const merchant = await merchantWithMail()
  const client = merchant.at(delayed)
  await Promise.all(Array.from({ length: 6 }, () => put(client, [{ ...usdc(8453), recipient: someone() }])))
  const { sql } = stage.database
  const [row] = await sql`
    select count(*)::int as count from settlement_changes
    where organization_id = ${merchant.organization.id} and cancelled_at is null and asked_by = 'api'`
  expect(row?.count).toBe(1)
})

test('error: a change of which nobody can be notified is refused', async () => {
  const silent = (await stage.merchant()).at(delayed)
  expect((await refused(silent, [{ ...usdc(8453), recipient: someone() }])).message).toContain('no mail address')
})

test('error: what is wrong is named by its path, and nothing changes', async () => {
  const merchant = await stage.merchant()
  const client = merchant.at(atOnce)
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  const good = { ...usdc(8453), recipient: someone() }
  const mistyped = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'
  const wrong: readonly (readonly [path: string, settlements: readonly object[]])[] = [
    ['settlements', []],
    ['settlements', Array.from({ length: 17 }, () => good)],
    ['settlements.1', [good, good]],
    ['settlements.0', [{ ...good, chain_id: 10 }]],
    ['settlements.0', [{ ...good, address: someone() }]],
    ['settlements.0.recipient', [{ ...good, recipient: 'somewhere' }]],
    ['settlements.0.recipient', [{ ...good, recipient: mistyped }]],
    ['settlements.0.recipient', [{ ...good, recipient: `0x${'0'.repeat(40)}` }]],
    ['settlements.0.recipient', [{ ...good, recipient: stage.base.token('USDT') }]],
    ['settlements.0.recipient', [{ ...good, recipient: order.deposit }]],
  ]
  for (const [path, settlements] of wrong)
    expect((await refused(client, settlements)).details, JSON.stringify(settlements)).toMatchObject({ issues: [{ path }] })
  await refused(client, [{ ...good, fee_collector: someone() }], 403)
  await refused(client, [{ ...good, recipent: someone() }], 400)
  const { settlements } = await client.ask('getSettlements')
  expect(settlements.map(({ recipient }) => recipient)).toEqual([merchant.recipient])
  expect(await organizationById(stage.database.sql, merchant.organization.id)).toEqual(merchant.organization)
})

test('behavior: a recipient that is a contract on one chain only has to be confirmed', async () => {
  const client = (await stage.merchant()).at(atOnce)
  const recipient = someone()
  await stage.base.anvil.ask(['anvil_setCode', recipient, '0x00'])
  const settlements = [usdc(8453), usdc(1)].map((currency) => ({ ...currency, recipient }))
  const answer = await refused(client, settlements)
  expect(answer.message).toContain('a contract on Base and nothing on Ethereum')
  expect(answer.details).toMatchObject({ issues: [{ path: 'settlements.0.recipient' }] })
  await put(client, settlements.slice(0, 1))
  expect((await put(client, settlements, { confirmed: true })).settlements).toHaveLength(2)
})

test('behavior: an organisation that is not live sees test networks alone, and a live one never sees one', async () => {
  const tester = (await stage.merchant({ isLive: false })).at(atOnce)
  await tester.refused('createOrder', 422, { body: { mode: 'SALE', amount: '20', fiat_unit: 'usd' } })
  await tester.refused('createOrder', 422, { body: { mode: 'SALE', amount: '20', currency: usdc(8453), recipient: someone() } })
  await refused(tester, [{ ...usdc(1), recipient: someone() }])
  expect((await tester.ask('searchCurrencies', { query: { q: 'usdc' } })).currencies).toEqual([])
  const wallet = { address: someone(), chain_type: 'EVM', chain_ids: [8453] }
  expect(await tester.ask('portfolio', { body: { wallets: [wallet] } })).toMatchObject({ portfolio: [], errors: [{}] })
  const swap = { source: usdc(8453), destination: { chain_id: 8453, address: null }, amount: '1', trade_type: 'EXACT_INPUT' }
  await tester.refused('swapQuote', 422, { body: swap })
  const live = (await stage.merchant()).at(atOnce)
  await live.refused('createOrder', 422, {
    body: { mode: 'SALE', amount: '20', currency: { chain_id: 84532, address: null }, recipient: someone() },
  })
})

test('error: a list with a chain on which the organisation’s own guard could not sign is refused, and changes nothing', async () => {
  const wallet = someone()
  // It answers ERC-1271 by a refusal.
  await stage.base.anvil.ask(['anvil_setCode', wallet, `0x7f${'ab'.repeat(32)}60005260206000fd`])
  const merchant = await stage.merchant({ guard: wallet })
  const client = merchant.at(atOnce)
  for (const settlements of [[usdc(8453), usdc(1)], [usdc(1)]].map((list) => list.map((entry) => ({ ...entry, recipient: someone() })))) {
    const answer = await refused(client, settlements)
    expect(answer.details).toMatchObject({ problem: 'guard_misconfigured', issues: [{ path: 'settlements' }] })
    expect(answer.message).toContain('is a contract on chain 8453 and has no code on chain 1')
  }
  expect((await client.ask('getSettlements')).settlements).toMatchObject([{ recipient: merchant.recipient }])
  await put(client, [{ ...usdc(8453), recipient: someone() }])
})
