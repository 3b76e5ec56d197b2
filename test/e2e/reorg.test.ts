import { parseUnits } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, expectBooks, untilOrder, untilStatus } from '../support/orders/payments.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { mineDuring } from '../support/mine-during.ts'
import { until } from '../support/wait.ts'

/** Orders follow the chain when it reorganises. The test mines every block. */

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

const units = (ui: string) => parseUnits(ui, 6)
const from = payers[0]!
async function received() {
  const { base } = stage
  const { number } = await base.chain.head(AbortSignal.timeout(60_000))
  return (await base.chain.balances([merchant.recipient], base.token('USDC'), number, AbortSignal.timeout(60_000)))[0]
}
const mineUntil = (id: string, status: Parameters<typeof untilStatus>[2]) => mineDuring(stage.base, untilStatus(client, id, status))

test('behavior: seen but unconfirmed money is shown as awaiting confirmation', async () => {
  const { base } = stage
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await base.sendToken(from, 'USDC', order.deposit, order.required)
  expect((await client.ask('getOrder', order.path)).status).toBe('AWAITING_PAYMENT')
  await base.mine()
  const seen = await untilStatus(client, order.id, 'AWAITING_CONFIRMATION')
  expect(seen.payment?.funding).toMatchObject({
    received_amount: { raw: '0' },
    remaining_amount: { ui: '20' },
    transactions: [{ state: 'seen', confirmations: 1, required_confirmations: 3 }],
  })
  await base.mine()
  await untilOrder(client, order.id, (order) => order.payment?.funding?.transactions[0]?.confirmations === 2)
  expect(await received()).toBe(0n)
  await base.mine()
  await untilStatus(client, order.id, 'EXECUTING_ORDER')
  await mineUntil(order.id, 'COMPLETED')
  expect(await received()).toBe(units('20'))
  await expectBooks(stage, [order.id])
})

test('behavior: an unconfirmed part payment has no status of its own', async () => {
  const { base } = stage
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await base.sendToken(from, 'USDC', order.deposit, units('8'))
  await base.mine()
  const seen = await untilOrder(client, order.id, (order) => order.payment?.funding?.transactions.length === 1)
  expect(seen).toMatchObject({
    status: 'AWAITING_PAYMENT',
    payment: { funding: { transactions: [{ state: 'seen', amount: { ui: '8' } }] } },
  })
  await base.mine(2)
  await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
})

test('behavior: reorganised before confirmation: the order waits again, and the same transaction counts once', async () => {
  const { base } = stage
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await base.sendToken(from, 'USDC', order.deposit, order.required)
  await base.mine()
  await untilStatus(client, order.id, 'AWAITING_CONFIRMATION')
  await base.reorg(1)
  await base.mine()
  const gone = await untilStatus(client, order.id, 'AWAITING_PAYMENT')
  expect(gone.payment?.funding).toMatchObject({ received_amount: { raw: '0' }, transactions: [] })

  await base.sendToken(from, 'USDC', order.deposit, order.required)
  await base.mine()
  await untilStatus(client, order.id, 'AWAITING_CONFIRMATION')
  await mineUntil(order.id, 'COMPLETED')
  expect(await received()).toBe(units('20'))
  await expectBooks(stage, [order.id])
})

test('behavior: reorganised after confirmation: the part payment is taken back', async () => {
  const { base } = stage
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await base.sendToken(from, 'USDC', order.deposit, units('8'))
  await base.mine(3)
  await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
  await expectBooks(stage, [order.id])
  await base.reorg(4)
  await base.mine()
  const back = await untilStatus(client, order.id, 'AWAITING_PAYMENT')
  expect(back.payment?.funding).toMatchObject({ received_amount: { raw: '0' }, remaining_amount: { ui: '20' } })
  await expectBooks(stage, [order.id])
  await base.sendToken(from, 'USDC', order.deposit, order.required)
  await base.mine()
  await mineUntil(order.id, 'COMPLETED')
  expect(await received()).toBe(units('20'))
  await expectBooks(stage, [order.id])
})

test('behavior: reorganised during settlement: the recipient is paid once, when the money is back', async () => {
  const { base } = stage
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await base.sendToken(from, 'USDC', order.deposit, order.required)
  await base.mine(3)
  // The settlement is broadcast but never mined, and a reorganisation drops the payment that it spends.
  await untilStatus(client, order.id, 'EXECUTING_ORDER')
  await until(async () => (await stage.database.sql`select 1 from sends where order_id = ${order.id} and state = 'broadcast'`).length > 0)
  await base.reorg(4)
  await base.mine()
  const gone = await untilOrder(client, order.id, (order) => order.status !== 'EXECUTING_ORDER')
  expect(gone).toMatchObject({ status: 'AWAITING_PAYMENT', payment: { funding: { received_amount: { raw: '0' } } } })
  await base.sendToken(from, 'USDC', order.deposit, order.required)
  await base.mine()
  await mineUntil(order.id, 'COMPLETED')
  expect(await received()).toBe(units('20'))
  await expectBooks(stage, [order.id])
})

test('behavior: a reorganised settlement is made again, and the recipient is paid once', async () => {
  const { base } = stage
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await base.sendToken(from, 'USDC', order.deposit, order.required)
  await base.mine(3)
  await untilStatus(client, order.id, 'EXECUTING_ORDER')
  await until(async () => (await stage.database.sql`select 1 from sends where order_id = ${order.id} and state = 'broadcast'`).length > 0)
  await base.mine()
  await until(async () => (await stage.database.sql`select 1 from sends where order_id = ${order.id} and state = 'mined'`).length > 0)
  expect(await received()).toBe(units('20'))
  expect((await client.ask('getOrder', order.path)).status).toBe('EXECUTING_ORDER')
  await base.reorg(1)
  expect(await received()).toBe(0n)
  await mineUntil(order.id, 'COMPLETED')
  expect(await received()).toBe(units('20'))
  await expectBooks(stage, [order.id])
})

test('behavior: a reorganised conversion happens once in the end, and the recipient gets at least the agreed amount', async () => {
  const { base } = stage
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' }, { source: { chain_id: 8453, address: base.token('DAI') } })
  await base.sendToken(from, 'DAI', order.deposit, order.required)
  await base.mine(3)
  await untilStatus(client, order.id, 'EXECUTING_ORDER')
  const sent = (state: string) => async () =>
    (await stage.database.sql`select 1 from sends where order_id = ${order.id} and state = ${state}`).length > 0
  await until(sent('broadcast'))
  await base.mine()
  await until(sent('mined'))
  const first = await received()
  expect(first).toBeGreaterThanOrEqual(units('20'))
  await base.reorg(1)
  expect(await received()).toBe(0n)
  await mineUntil(order.id, 'COMPLETED')
  expect(await received()).toBe(first)
  await until(() => expectBooks(stage, [order.id]).then(() => true))
})

test('behavior: after reorganisations every transfer has a final state, and the books agree', async () => {
  await stage.base.mine(5)
  await until(async () => {
    const open = await stage.database.sql`
      select t.key, t.state, o.status from transfers t join orders o on o.id = t.order_id
      where t.state not in ('applied', 'refunded', 'held', 'dropped') and not (t.state = 'confirmed' and o.status = 'PARTIAL_PAYMENT')`
    expect([...open]).toEqual([])
    await expectBooks(stage)
    return true
  })
  expect(process.service.output()).not.toMatch(/"level":(50|60)/)
})
