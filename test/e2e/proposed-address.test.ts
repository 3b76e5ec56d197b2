import { parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import { claimMails } from '../../server/invoices/mails.ts'
import { noticeMail } from '../../server/invoices/notices.ts'
import { signedHeaders } from '../support/client/client.ts'
import { checkout, expectBooks, untilOrder, untilStatus } from '../support/orders/payments.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'

/** A payer names an address after the money has arrived, on a real chain and against the real service. */

let stage: Stage
let service: Process
beforeAll(async () => {
  stage = await startStage()
  service = await stage.start()
})
afterAll(() => stage?.close())

const someone = () => privateKeyToAddress(generatePrivateKey()).toLowerCase()
const mailsOf = async (organizationId: string) =>
  (await claimMails(stage.database.sql, { free: 100, perOrganization: 100, running: new Map() })).filter(
    (mail) => mail.organizationId === organizationId,
  )

test('default: a surplus goes back to the address that the payer proposed, once the merchant has signed for it, and not before', async () => {
  const { base, database } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(service)
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd', metadata: { reference: '1042' } })
  const { organization_id: organizationId } = await client.ask('getOrder', order.path)
  await database.sql`update organizations set email = 'owner@shop.example' where id = ${organizationId}`
  await base.sendToken(payers[0]!, 'USDC', order.deposit, parseUnits('35', 6))
  await untilStatus(client, order.id, 'COMPLETED')

  const [stranger, payer] = [someone(), someone()]
  for (const bad of ['0x0000000000000000000000000000000000000000', base.token('USDT'), order.deposit])
    await client.refused('requestPayment', 422, { ...order.path, body: { refund_address: bad } })
  await client.refused('requestPayment', 400, { ...order.path, body: { refund_address: payer, extend: true } })
  await client.refused('requestPayment', 400, { ...order.path, body: {} })
  await client.refused('requestPayment', 422, { ...order.path, body: { refund_address: payer, refund_chain_id: 1 } })
  const source = { currency: { chain_id: 8453, address: base.token('USDC') }, payment_rail: 'CRYPTO' }
  await client.refused('requestPayment', 400, { ...order.path, body: { source, refund_address: payer, refund_chain_id: 8453 } })
  for (const address of [stranger, payer, payer]) await client.ask('requestPayment', { ...order.path, body: { refund_address: address } })
  const proposed = await client.ask('getOrder', order.path)
  expect(proposed.payment?.refund).toMatchObject({ proposed: [{ address: stranger, chain_id: 8453 }, { address: payer }] })
  expect(proposed.payment?.refund?.address).toBeUndefined()
  expect(proposed.payment?.refunds ?? []).toEqual([])

  const mails = await mailsOf(organizationId)
  expect(mails.map((mail) => mail.kind === 'notice' && mail.notice)).toMatchObject(
    [stranger, payer].map((address) => ({
      kind: 'refund_address_proposed',
      orderId: order.id,
      reference: '1042',
      address,
      chainId: 8453,
    })),
  )

  await client.ask('requestPayment', {
    ...order.path,
    body: { refund_address: payer, refund_chain_id: 8453 },
    headers: signedHeaders(merchant.keys, 'POST', `/orders/${order.id}/payment`),
  })
  const done = await untilOrder(client, order.id, ({ payment }) => payment?.refunds?.[0]?.state === 'confirmed')
  expect(done.payment?.refunds).toMatchObject([{ address: payer }])
  expect(done.payment?.refund?.proposed).toBeUndefined()
  await client.refused('requestPayment', 403, { ...order.path, body: { refund_address: stranger } })
  await expectBooks(stage, [order.id])
})

test('behavior: a stranger’s cent on another network changes nothing of where the surplus is asked for', async () => {
  const { base, ethereum } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(service)
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await ethereum.sendToken(payers[2]!, 'USDC', order.deposit, parseUnits('0.01', 6))
  await untilOrder(client, order.id, ({ payment }) => payment?.funding?.transactions[0]?.chain_id === 1)
  await base.sendToken(payers[3]!, 'USDC', order.deposit, parseUnits('35', 6))
  await untilStatus(client, order.id, 'COMPLETED')
  const [surplus, stray] = [someone(), someone()]
  await client.ask('requestPayment', { ...order.path, body: { refund_address: surplus } })
  await client.ask('requestPayment', { ...order.path, body: { refund_address: stray, refund_chain_id: 1 } })
  const { payment } = await client.ask('getOrder', order.path)
  expect(payment?.refund?.proposed).toMatchObject([
    { address: surplus, chain_id: 8453 },
    { address: stray, chain_id: 1 },
  ])
})

test('behavior: nobody is mailed about an order that anybody could have made', async () => {
  const { base, database } = stage
  const merchant = await stage.merchant()
  const client = merchant.at(service)
  const { id, deposit, path } = await checkout(client, {
    mode: 'DEPOSIT',
    amount: '20',
    currency: { chain_id: 8453, address: base.token('USDC') },
    recipient: someone(),
  })
  const { organization_id: organizationId } = await client.ask('getOrder', path)
  await database.sql`update organizations set email = 'owner@shop.example' where id = ${organizationId}`
  await base.sendToken(payers[1]!, 'USDC', deposit, parseUnits('1', 6))
  await untilOrder(client, id, ({ payment }) => (payment?.funding?.transactions.length ?? 0) > 0)
  const address = someone()
  await client.ask('requestPayment', { ...path, body: { refund_address: address } })
  expect((await client.ask('getOrder', path)).payment?.refund?.proposed).toMatchObject([{ address }])
  expect(await mailsOf(organizationId)).toEqual([])
})

test('default: the mail says what was proposed, how the merchant agrees, and that anybody with the link could have asked', () => {
  const address = `0x${'ab'.repeat(20)}`
  const to = { id: 'mail_1', name: 'Shop', email: 'owner@shop.example', sender: 'till@pay.example', host: 'pay.example' }
  const notice = { kind: 'refund_address_proposed', orderId: 'ord_1', reference: '<b>1042</b>', address, chainId: 8453 } as const
  const { subject, text, html } = noticeMail({ ...to, notice })
  expect(subject).toBe('Order ord_1 (<b>1042</b>): where your customer wants money back')
  for (const part of [
    address,
    'Base',
    '"refund_chain_id":8453',
    'Anybody who has the link',
    'POST /orders/ord_1/payment',
    'POST /orders/ord_1/refund',
  ])
    expect(text).toContain(part)
  expect(html).not.toContain('<b>1042')
})
