import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import type { Order } from '../../src/wire/order.ts'
import type { Client } from '../support/client/client.ts'
import { currencyOf, expectBooks, expireUntil, untilOrder, untilStatus } from '../support/orders/payments.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { mineDuring } from '../support/mine-during.ts'
import { until } from '../support/wait.ts'

/** Money for the orders of one invoice on a chain that reorganises. The test mines every block. */

let stage: Stage
let process: Process
let merchant: Merchant
let client: Client
beforeAll(async () => {
  stage = await startStage({ mining: 'manual' })
  process = await stage.start()
})
afterAll(async () => {
  await stage?.close()
})
beforeEach(async () => {
  merchant = await stage.merchant()
  client = merchant.at(process)
})

const data = {
  from: { email: 'billing@northwind.example', name: 'Northwind Coffee' },
  recipient: { email: 'accounts@harbour.example', name: 'Harbour Studio' },
  invoice: { no: 'NW-1', date: '2026-05-12', due_date: '2026-05-26' },
  items: [{ name: 'Coffee', quantity: '2', unitPrice: '10' }],
}
const whole = 20_000_000n

async function instructed(id: string): Promise<{ id: string; deposit: string }> {
  const order = await client.ask('getOrder', { params: { order_id: id } })
  const { data: payment } = await client.ask('requestPayment', {
    params: { order_id: id },
    body: { source: { currency: currencyOf(order), payment_rail: 'CRYPTO' } },
  })
  const step = payment.steps[0]
  if (step?.kind !== 'deposit') throw new Error('no deposit step')
  return { id, deposit: step.data.deposit_address }
}

/** Makes an invoice whose first order has expired, and the second order that its page then made. */
async function twoOrders() {
  const { id, order_id } = await client.ask('createInvoice', { body: data })
  const first = await instructed(order_id!)
  await expireUntil(stage, client, first.id)
  await fetch(`${new URL(process.baseUrl).origin}/invoice/${id}`, {
    method: 'POST',
    body: new URLSearchParams({ act: 'renew' }),
    redirect: 'manual',
  })
  const invoice = await client.ask('getInvoice', { params: { invoice_id: id } })
  expect(invoice.order_id).not.toBe(first.id)
  return { id, first, second: await instructed(invoice.order_id!) }
}

async function received() {
  const { base } = stage
  const { number } = await base.chain.head(AbortSignal.timeout(60_000))
  return (await base.chain.balances([merchant.recipient], base.token('USDC'), number, AbortSignal.timeout(60_000)))[0]
}
const mineUntil = (id: string, status: Order['status']) => mineDuring(stage.base, untilStatus(client, id, status))

test('behavior: when a reorganisation drops late money, the other order is payable again and the invoice is paid once', async () => {
  const { base } = stage
  const { first, second } = await twoOrders()
  await base.sendToken(payers[1]!, 'USDC', first.deposit, whole)
  await base.mine()
  await untilStatus(client, first.id, 'AWAITING_CONFIRMATION')
  await untilStatus(client, second.id, 'EXPIRED')
  await base.reorg(1)
  await base.mine()
  await untilOrder(client, first.id, (order) => order.status !== 'AWAITING_CONFIRMATION')
  await base.sendToken(payers[1]!, 'USDC', second.deposit, whole)
  await mineUntil(second.id, 'COMPLETED')
  expect(await received()).toBe(whole)
  expect((await client.ask('getOrder', { params: { order_id: first.id } })).status).toBe('EXPIRED')
  await expectBooks(stage, [first.id, second.id])
})

test('behavior: when both orders are paid in one block, one pays the invoice, the other is surplus, and no work blocks', async () => {
  const { base } = stage
  for (let turn = 0; turn < 3; turn++) {
    const before = (await received()) ?? 0n
    const { first, second } = await twoOrders()
    await base.sendToken(payers[1]!, 'USDC', first.deposit, whole)
    await base.sendToken(payers[2]!, 'USDC', second.deposit, whole)
    await base.mine()
    const settling = until(async () => {
      const both = await Promise.all([first, second].map(({ id }) => client.ask('getOrder', { params: { order_id: id } })))
      const settled = both.filter(({ status }) => status === 'COMPLETED')
      const held = both.filter(({ payment }) => payment?.funding?.transactions.some(({ state }) => state === 'held'))
      return settled.length === 1 && held.length === 1 ? both.map(({ status }) => status) : undefined
    })
    const statuses = await mineDuring(base, settling)
    expect(statuses.sort()).toEqual(['COMPLETED', 'EXPIRED'])
    expect(await received()).toBe(before + whole)
    await expectBooks(stage, [first.id, second.id])
  }
  expect(process.service.output()).not.toMatch(/"level":(50|60)/)
})
