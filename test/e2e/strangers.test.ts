import { encodeFunctionData, erc20Abi, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator, payers } from '../../local/chains/accounts.ts'
import { type LocalMailbox, startMailbox } from '../../local/mailbox.ts'
import { TestDai } from '../../server/chains/evm/contracts/artifacts/TestDai.ts'
import { settleCall } from '../../server/chains/evm/factory-calls.ts'
import type { Order } from '../../src/wire/order.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, expectBooks, untilOrder, untilStatus } from '../support/orders/payments.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** Dust and failures on one order must not affect any other order's payment. */

let stage: Stage
let mailbox: LocalMailbox
let process: Process
let merchant: Merchant
let client: Client
beforeAll(async () => {
  ;[stage, mailbox] = await Promise.all([startStage(), startMailbox()])
  process = await stage.start({ SMTP_URL: mailbox.url })
  merchant = await stage.merchant()
  client = merchant.at(process)
})
afterAll(async () => {
  await stage?.close()
  await mailbox?.stop()
})

const [payer, duster] = [payers[1]!, payers[2]!]
const usd = (ui: string) => parseUnits(ui, 6)

/** Sends as many transfers of one unit as fit into a block without waiting for any. */
async function sendDust(to: string, count: number): Promise<void> {
  const { anvil, token } = stage.base
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as `0x${string}`, 1n] })
  await anvil.ask(['anvil_impersonateAccount', duster.address])
  const [first] = await anvil.ask(['eth_getTransactionCount', duster.address, 'latest'])
  const call = { from: duster.address, to: token('USDC'), data, gas: '0x186a0' }
  const send = (index: number): [string, object] => ['eth_sendTransaction', { ...call, nonce: `0x${(Number(first) + index).toString(16)}` }]
  const hashes = await anvil.ask(...Array.from({ length: count }, (_, index) => send(index)))
  await until(async () => (await anvil.ask(['eth_getTransactionReceipt', hashes.at(-1)]))[0] !== null, { what: 'the dust is mined' })
  await anvil.ask(['anvil_stopImpersonatingAccount', duster.address])
}

test('behavior: three hundred dust transfers change the order a bounded number of times and do not affect its payment', async () => {
  const dusty = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await sendDust(dusty.deposit, 300)
  const seen = await untilOrder(client, dusty.id, (order) => order.payment?.funding?.received_amount.raw === '300')
  expect(seen.status).toBe('AWAITING_PAYMENT')
  expect(seen.payment?.funding).toMatchObject({ transactions_total: 300, remaining_amount: { raw: '19999700' } })
  expect(seen.payment?.funding?.transactions).toHaveLength(100)
  const { sql } = stage.database
  const [stats] = await sql`select count(*)::int as events, max(length(body))::int as longest from events where order_id = ${dusty.id}`
  expect(stats?.events).toBeLessThan(60)
  expect(stats?.longest).toBeLessThan(100_000)
  const [facts] = await sql`select count(*)::int as count from facts where order_id = ${dusty.id}`
  expect(facts?.count).toBeLessThan(120)

  // The rest completes the order, and every transfer reaches a final state.
  await stage.base.sendToken(payer, 'USDC', dusty.deposit, usd('20') - 300n)
  await untilStatus(client, dusty.id, 'COMPLETED')
  expect(await sql`select state, count(*)::int as count from transfers where order_id = ${dusty.id} group by state`).toMatchObject([
    { state: 'applied', count: 301 },
  ])
  await until(() => expectBooks(stage, [dusty.id]).then(() => true))
})

test('behavior: dust in one token, then the whole in another: the other completes the order', async () => {
  const { base } = stage
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await base.sendToken(duster, 'USDC', order.deposit, 1000n)
  await untilOrder(client, order.id, ({ payment }) => payment?.funding?.received_amount.raw === '1000')
  const dai = { chain_id: 8453, address: base.token('DAI') }
  const { data: payment } = await client.ask('requestPayment', {
    ...order.path,
    body: { source: { currency: dai, payment_rail: 'CRYPTO' } },
  })
  const required = BigInt(payment.funding?.required_amount.raw ?? '0')
  await base.sendToken(payer, 'DAI', order.deposit, required)
  const done = await untilStatus(client, order.id, 'COMPLETED')
  expect(done.payment?.held).toMatchObject([
    { chain_id: 8453, currency: { symbol: 'USDC' }, amount: { raw: '1000' }, reason: 'other_source' },
  ])
  await until(() => expectBooks(stage, [order.id]).then(() => true))
})

test('behavior: an order that cannot record its money is set aside, its chain goes on, and nothing is lost', async () => {
  const { sql } = stage.database
  const broken = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  const honest = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  const [row] = await sql`select state from orders where id = ${broken.id}`
  await sql`update orders set state = state - 'quotes' where id = ${broken.id}`
  await stage.base.sendToken(payer, 'USDC', broken.deposit, usd('20'))
  await stage.base.sendToken(payer, 'USDC', honest.deposit, usd('20'))
  await untilStatus(client, honest.id, 'COMPLETED')
  const aside = async () => await sql`select jsonb_array_length(arrivals) as arrivals from set_aside where order_id = ${broken.id}`
  expect(await aside()).toMatchObject([{ arrivals: 1 }])

  await sql`update orders set state = ${sql.json(row?.state)} where id = ${broken.id}`
  await untilStatus(client, broken.id, 'COMPLETED')
  await until(async () => (await aside()).length === 0)
  await until(() => expectBooks(stage, [broken.id, honest.id]).then(() => true))
})

const isHeld = (order: Order) => order.payment?.held !== undefined

test('behavior: coin that a contract sends to a finished order is found by a look-up and by the full sweep', async () => {
  const { base } = stage
  const { sql } = stage.database
  const lookedUp = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  const swept = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  for (const { deposit, id } of [lookedUp, swept]) {
    await base.sendToken(payer, 'USDC', deposit, usd('20'))
    await untilStatus(client, id, 'COMPLETED')
  }
  await sql`update orders set updated_at = now() - interval '40 days' where id = any(${[lookedUp.id, swept.id]})`
  for (const { deposit } of [lookedUp, swept]) {
    const [before] = await base.anvil.ask(['eth_getBalance', deposit, 'latest'])
    await base.anvil.ask(['anvil_setBalance', deposit, `0x${(BigInt(before as string) + 10n ** 17n).toString(16)}`])
  }
  const find = () => client.ask('findTransaction', { ...lookedUp.path, body: { tx_hash: `0x${'ab'.repeat(32)}` } })
  await until(
    async () => (await find()).found || (await untilOrder(client, lookedUp.id, isHeld, 500).catch(() => undefined)) !== undefined,
    {
      every: 1_000,
      what: 'the coin is found',
    },
  )
  for (const { id } of [lookedUp, swept])
    expect((await untilOrder(client, id, isHeld)).payment?.held).toMatchObject([{ amount: { ui: '0.1' }, reason: 'wrong_token' }])
})

test('behavior: what a stolen key settles reaches the merchant, completes the order, and is mailed once', async () => {
  const { base } = stage
  const robbed = await stage.merchant({ email: 'owner@northwind.example' })
  const order = await checkout(robbed.at(process), { amount: '20', fiat_unit: 'usd' })
  await base.sendToken(payer, 'USDC', order.deposit, order.required / 2n)
  const terms = order.created.terms!
  const settling = { terms, chainId: base.chain.id, token: base.token('USDC'), fee: 0n }
  for (const toRecipient of [1n, order.required / 2n - 1n]) await base.send(operator, settleCall({ ...settling, toRecipient }))
  // Before that, the service would settle the whole sum, fail, and settle the rest a minute later.
  await untilOrder(robbed.at(process), order.id, ({ payment }) => payment?.funding?.transactions[0]?.state === 'applied')
  await base.sendToken(payer, 'USDC', order.deposit, order.required - order.required / 2n)
  await untilStatus(robbed.at(process), order.id, 'COMPLETED')
  const about = () =>
    mailbox.messages.filter(({ to, email }) => to.includes('owner@northwind.example') && email.subject?.includes(order.id))
  await until(() => about().length > 0, { what: 'the mail' })
  expect(about()).toHaveLength(1)
})

test('behavior: a token that nobody configured is rescued to the merchant, once, and to nobody else', async () => {
  const { base } = stage
  const unknown = await base.deploy(TestDai, [[payer.address], 1_000n])
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await base.call(payer, { address: unknown, abi: erc20Abi, functionName: 'transfer', args: [order.deposit, 700n] })
  const held = async (holder: string) =>
    BigInt((await base.anvil.ask(['eth_call', { to: unknown, data: balanceOf(holder) }, 'latest']))[0] as string)

  const ask = (...more: string[]) => stage.operate('rescue', order.id, '--chain', '8453', '--token', unknown, ...more)
  await expect(ask('--recipient', duster.address)).rejects.toThrow(/the merchant has confirmed no other/)
  await expect(stage.operate('rescue', order.id, '--chain', '8453', '--token', base.token('USDC'))).rejects.toThrow(
    /refund it through the API/,
  )
  await expect(stage.operate('rescue', order.id, '--chain', '10', '--token', unknown)).rejects.toThrow(/Chain 10 is not in TILL_CHAINS/)
  await expect(stage.operate('rescue', 'ord_unknown')).rejects.toThrow(/There is no order ord_unknown/)
  await expect(stage.operate('rescue', order.id, '--token', unknown)).rejects.toThrow(/belong together/)
  expect(await stage.operate('rescue', order.id)).toEqual([])

  expect((await ask())[0]).toBe(`700 of ${unknown.toLowerCase()} to ${merchant.recipient}`)
  await until(async () => (await held(merchant.recipient)) === 700n, { what: 'the merchant has the token' })
  await until(async () => (await stage.operate('rescue', order.id))[0]?.includes('confirmed in 0x'), { what: 'the rescue is final' })
  await expect(ask()).rejects.toThrow(/Nothing of /)
  expect((await client.ask('getOrder', order.path)).status).toBe('AWAITING_PAYMENT')
})

const balanceOf = (holder: string) => encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder as `0x${string}`] })
