import { parseUnits } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import type { Client } from '../support/client/client.ts'
import { type Checkout, checkout, expectBooks, untilOrder, untilStatus } from '../support/orders/payments.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { mineDuring } from '../support/mine-during.ts'
import { until } from '../support/wait.ts'

/** Reorganisations deeper than the confirmations, while nothing else is being sent. The test mines every block. */

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

const from = payers[0]!
const signal = () => AbortSignal.timeout(60_000)
async function balanceOf(address: string, token: string | null) {
  const { number } = await stage.base.chain.head(signal())
  return (await stage.base.chain.balances([address], token, number, signal()))[0]
}
const mining = <T>(work: Promise<T>): Promise<T> => mineDuring(stage.base, work)
async function sendOf(orderId: string) {
  const [row] = await stage.database.sql<{ state: string; mined_block: number; nonce: number }[]>`
    select state, mined_block::int, nonce::int from sends where order_id = ${orderId}`
  return row
}
const untilIdle = () =>
  mining(until(async () => (await stage.database.sql`select 1 from sends where state not in ('confirmed', 'refused')`).length === 0))

/** Makes an order that is paid and finally settled, with an empty queue. */
async function settledOrder(token: 'USDC' | 'ETH'): Promise<Checkout & { paidBlock: number; settledBlock: number }> {
  const { base } = stage
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  if (token === 'ETH') await base.sendNative(from, order.deposit, order.required)
  else await base.sendToken(from, 'USDC', order.deposit, order.required)
  await base.mine()
  const paidBlock = (await base.chain.head(signal())).number
  await mining(untilStatus(client, order.id, 'COMPLETED'))
  await untilIdle()
  return { ...order, paidBlock, settledBlock: (await sendOf(order.id))!.mined_block }
}
async function backTo(block: number) {
  await stage.base.reorg((await stage.base.chain.head(signal())).number - block)
  await stage.base.mine()
}
const received = async (order: Checkout) => (await client.ask('getOrder', order.path)).payment?.funding

test('behavior: when only the settlement is dropped, it is sent and confirmed again without intervention', async () => {
  const order = await settledOrder('USDC')
  const { nonce } = (await sendOf(order.id))!
  await backTo(order.settledBlock - 1)
  expect(await balanceOf(merchant.recipient, stage.base.token('USDC'))).toBe(0n)
  await untilStatus(client, order.id, 'EXECUTING_ORDER')
  await mining(untilStatus(client, order.id, 'COMPLETED'))
  expect(await balanceOf(merchant.recipient, stage.base.token('USDC'))).toBe(parseUnits('20', 6))
  expect(await sendOf(order.id)).toMatchObject({ state: 'confirmed', nonce })
  await expectBooks(stage, [order.id])
})

test('behavior: coin returned to the address by a reorganisation is never counted as a new payment', async () => {
  merchant = await stage.merchant({ settlement: { address: null, recipient: `0x${'5e'.repeat(19)}01` } })
  client = merchant.at(process)
  const order = await settledOrder('ETH')
  await backTo(order.settledBlock - 1)
  await untilStatus(client, order.id, 'EXECUTING_ORDER')
  await mining(untilStatus(client, order.id, 'COMPLETED'))
  const swept = async () =>
    (await stage.database.sql<{ height: number }[]>`select height::int from sweeps where chain_id = 8453`)[0]?.height ?? 0
  const before = await swept()
  await mining(until(async () => (await swept()) > before + 5))
  expect(await received(order)).toMatchObject({
    received_amount: { raw: order.required.toString() },
    transactions: [{ state: 'applied' }],
  })
  expect(await balanceOf(merchant.recipient, null)).toBe(order.required)
  await expectBooks(stage, [order.id])
})

test('behavior: when the payment is dropped and mined again, the order recovers and is paid once', async () => {
  const order = await settledOrder('USDC')
  await backTo(order.paidBlock - 1)
  await untilStatus(client, order.id, 'EXECUTING_ORDER')
  await stage.base.sendToken(from, 'USDC', order.deposit, order.required)
  await mining(untilOrder(client, order.id, (now) => now.status === 'COMPLETED', 90_000))
  expect(await balanceOf(merchant.recipient, stage.base.token('USDC'))).toBe(parseUnits('20', 6))
  await untilIdle()
  await mining(until(() => expectBooks(stage, [order.id]).then(() => true)))
})

test('behavior: when the payment is mined again only after the settlement has failed without it, the order recovers and is paid once', async () => {
  const order = await settledOrder('USDC')
  await backTo(order.paidBlock - 1)
  await mining(untilOrder(client, order.id, ({ status }) => status === 'AWAITING_PAYMENT'))
  expect(await balanceOf(merchant.recipient, stage.base.token('USDC'))).toBe(0n)
  await stage.base.sendToken(from, 'USDC', order.deposit, order.required)
  await mining(untilOrder(client, order.id, ({ status }) => status === 'COMPLETED', 90_000))
  expect(await balanceOf(merchant.recipient, stage.base.token('USDC'))).toBe(parseUnits('20', 6))
  await untilIdle()
  await mining(until(() => expectBooks(stage, [order.id]).then(() => true)))
})

test('behavior: when the payment never comes back, the order fails visibly in status, log and metrics', async () => {
  const order = await settledOrder('USDC')
  await backTo(order.paidBlock - 1)
  const end = await mining(untilOrder(client, order.id, ({ status }) => status === 'AWAITING_PAYMENT'))
  expect(end.payment?.funding).toMatchObject({ received_amount: { raw: '0' } })
  const entered = await stage.database.sql<{ status: string }[]>`
    select fact->>'status' as status from facts where order_id = ${order.id} and fact->>'type' = 'became' order by number`
  expect(entered.map(({ status }) => status).slice(-4)).toEqual(['COMPLETED', 'EXECUTING_ORDER', 'FAILED', 'AWAITING_PAYMENT'])
  await until(() => new RegExp(`"level":50[^\\n]*${order.id}`).test(process.service.output()))
  const [lost] = await stage.database.sql`select lost_at from sends where order_id = ${order.id}`
  expect(lost?.lost_at).toBeTruthy()
  await expectBooks(stage, [order.id])
})
