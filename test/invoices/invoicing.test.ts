import { afterAll, beforeAll, expect, test } from 'vitest'
import { toHex } from 'viem'
import type { InvoiceDraft } from '../../src/wire/invoice.ts'
import type { DepositAsk } from '../../server/chains/chain.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { transaction } from '../../server/database/transaction.ts'
import { orderEffects } from '../../server/orders/order-effects.ts'
import { invoiceEffects, newDraft, priceInvoice, publish, renew } from '../../server/invoices/invoicing.ts'
import { record } from '../../server/orders/record.ts'
import { requestPayment } from '../../server/orders/routes/payment.ts'
import { append } from '../../server/orders/append.ts'
import type { Sql } from '../../server/database/connect.ts'
import { orderById } from '../../server/orders/order-queries.ts'
import { ether, policy, t0 } from '../orders/model/support.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'
import { until } from '../support/wait.ts'

/** Concurrent transactions on the two orders of one invoice. */

let recording: Recording
let sql: Sql
let engine: Engine
beforeAll(async () => {
  recording = await startRecording()
  ;({ sql } = recording)
  const chain = {
    id: 8453,
    tokens: [{ ...ether, priceId: 'eth' }],
    feed: { secondsToFinal: () => 24 },
    addresses: { show: (address: string) => address },
    deposits: { reserve: async (_: unknown, { orderId }: DepositAsk) => ({ address: toHex(orderId).slice(0, 42) }) },
  }
  const prices = { get: async () => ({ usd: '2500', asOf: t0 }) }
  engine = {
    ...recording.engine,
    prices,
    effects: [orderEffects, invoiceEffects],
    chains: new Map([[8453, chain]]),
    payUrl: 'http://till.example',
    sees: () => true,
    minimum: () => 0n,
    plannedFee: () => 0n,
    guardOf: () => undefined,
    releaseAfterDays: 30,
  } as never
})
afterAll(() => recording?.close())

const draft: InvoiceDraft = {
  from: { email: 'billing@northwind.example', name: 'Northwind Coffee' },
  recipient: { email: 'accounts@harbour.example', name: 'Harbour Studio' },
  invoice: { no: 'NW-1', date: '2026-05-12', due_date: '2026-05-26' },
  items: [{ name: 'Coffee', quantity: '1', unitPrice: '25' }],
  fiat_unit: 'usd',
  locale: 'en',
}

const late = (key: string) => ({
  key,
  asset: ether,
  txHash: '0x1',
  amount: 10n ** 16n,
  block: 1,
  blockHash: '0x01',
  seenAt: t0,
  confirmations: 1,
  needed: 3,
})

/** Makes an invoice whose only order has expired. */
async function expiredInvoice() {
  const invoice = await transaction(sql, (tx) => newDraft(engine, tx, 'org_1', draft))
  const price = await priceInvoice(engine, invoice)
  if ('why' in price) throw new Error(price.why)
  const made = await transaction(sql, (tx) => publish(engine, tx, invoice, price))
  return { id: invoice.id, first: await append(sql, made.order, [{ type: 'became', status: 'EXPIRED' }], policy, t0) }
}

const waitingForLocks = async (): Promise<number> =>
  (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length

test('behavior: when late money arrives during a renewal, the new order is closed', async () => {
  const { id, first } = await expiredInvoice()
  let renewing: ReturnType<typeof renew> | undefined
  let arrival: ReturnType<typeof record> | undefined
  await transaction(sql, async (tx) => {
    // The lock stops the renewal after it has seen that nobody has paid and before it adds its order.
    await tx`lock table invoice_orders in share mode`
    renewing = renew(engine, id)
    await until(async () => (await waitingForLocks()) === 1)
    let isRecorded = false
    arrival = record(engine, first.id, { type: 'arrived', transfers: [late('8453:0x1:0')] }).finally(() => (isRecorded = true))
    await until(async () => isRecorded || (await waitingForLocks()) === 2)
  })
  const [renewed, recorded] = await Promise.all([renewing, arrival])
  expect(recorded?.order).toMatchObject({ status: 'AWAITING_CONFIRMATION', transfers: [{ amount: 10n ** 16n }] })
  if (!renewed || 'why' in renewed) throw new Error('no new order was made')
  expect(await orderById(sql, renewed.order.id)).toMatchObject({ status: 'EXPIRED', supersededBy: first.id })
})

test('behavior: a renewal requested while late money is being recorded makes no order', async () => {
  const { id, first } = await expiredInvoice()
  let renewing: ReturnType<typeof renew> | undefined
  await transaction(sql, async (tx) => {
    await record(engine, first, { type: 'arrived', transfers: [late('8453:0x2:0')] }, tx)
    let isRenewed = false
    renewing = renew(engine, id).finally(() => (isRenewed = true))
    await until(async () => isRenewed || (await waitingForLocks()) === 1)
  })
  expect(await renewing).toBeUndefined()
})

test('behavior: a renewal made while an expired order is being reopened leaves only the new order payable', async () => {
  const { id, first } = await expiredInvoice()
  let reopening: Promise<unknown> | undefined
  await transaction(sql, async (tx) => {
    await tx`select 1 from orders where id = ${first.id} for update`
    const body = { source: { currency: { chain_id: 8453, address: null }, payment_rail: 'CRYPTO' } } as const
    reopening = requestPayment(engine, first, body).catch((error: unknown) => error)
    await until(async () => (await waitingForLocks()) === 1)
    expect(await renew(engine, id)).toHaveProperty('order')
  })
  expect(await reopening).toMatchObject({ status: 422, message: expect.stringContaining('newer order') })
  expect(await orderById(sql, first.id)).toMatchObject({ status: 'EXPIRED' })
})
