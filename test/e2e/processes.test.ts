import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import { checkout, expectBooks, untilStatus } from '../support/orders/payments.ts'
import { connectSocket } from '../support/client/socket.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'
import { tableTokens } from '../chains/support.ts'

let stage: Stage
let first: Process
let second: Process
beforeAll(async () => {
  stage = await startStage()
  first = await stage.start()
  second = await stage.start()
})
afterAll(async () => {
  await stage?.close()
})

/** Counts the database connections that hold a lease. */
async function leaders() {
  const rows = await stage.database.sql`
    select distinct l.pid, a.client_port from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and l.granted and a.datname = current_database()`
  return rows.length
}

test('behavior: events of one process reach the sockets of the other', async () => {
  const merchant = await stage.merchant()
  const [here, there] = [merchant.at(first), merchant.at(second)]
  const listening = await Promise.all([connectSocket(first.baseUrl, merchant.keys), connectSocket(second.baseUrl, merchant.keys)])
  await Promise.all(listening.map((socket) => socket.subscribe()))
  const order = await checkout(here, { amount: '10', fiat_unit: 'usd' })
  const other = await checkout(there, { amount: '11', fiat_unit: 'usd' })
  await Promise.all([
    stage.base.sendToken(payers[0]!, 'USDC', order.deposit, order.required),
    stage.base.sendToken(payers[1]!, 'USDC', other.deposit, other.required),
  ])
  await Promise.all([untilStatus(there, order.id, 'COMPLETED'), untilStatus(here, other.id, 'COMPLETED')])
  for (const { id } of [order, other]) {
    const log = await until(async () => {
      const rows = await stage.database.sql`select body, socket_only from events where order_id = ${id} order by xid, seq`
      return rows.some(({ body }) => body.includes('"ORDER_COMPLETED"')) ? rows : undefined
    })
    const loud = log.filter((row) => !row.socket_only).map((row) => `{"type":"event","data":${row.body}}`)
    for (const socket of listening) {
      await until(() => socket.events.some((text) => text === loud.at(-1)))
      expect(socket.events.filter((text) => loud.includes(text))).toEqual(loud)
    }
  }
  await Promise.all(listening.map((socket) => socket.close()))
})

test('behavior: one of them watches and sends, and each order is settled once', async () => {
  const merchant = await stage.merchant()
  const orders = await Promise.all(
    Array.from({ length: 12 }, (_, index) => checkout(merchant.at(index % 2 ? first : second), { amount: '3', fiat_unit: 'usd' })),
  )
  await Promise.all(
    [0, 1, 2].map(async (lane) => {
      for (const order of orders.filter((_, index) => index % 3 === lane))
        await stage.base.sendToken(payers[2 + lane]!, 'USDC', order.deposit, order.required)
    }),
  )
  await Promise.all(orders.map((order) => untilStatus(merchant.at(first), order.id, 'COMPLETED')))
  const ids = orders.map(({ id }) => id)
  const sends = await stage.database.sql`select order_id, count(*)::int as count from sends where order_id = any(${ids}) group by order_id`
  expect(sends.map(({ count }) => count)).toEqual(ids.map(() => 1))
  const repeated = await stage.database.sql`
    select order_id, event from events where order_id = any(${ids}) and not socket_only group by order_id, event having count(*) > 1`
  expect([...repeated]).toEqual([])
  await expectBooks(stage, ids)
  // There is a watcher, a sender and a reader of others' moves for each of two chains, and no connection holds two of these six leases.
  await until(async () => (await leaders()) === 6)
})

test('behavior: nothing of local mode is available, and its keys are refused', async () => {
  for (const path of ['/test/fixtures', '/test/prices', '/test/mail', '/metrics']) {
    expect([path, (await fetch(first.service.payUrl + path)).status]).toEqual([path, 404])
  }
  const { sql } = stage.database
  const merchant = await stage.merchant()
  await sql`update api_keys set secret = 'sk_test_till' where api_key = ${merchant.keys.apiKey}`
  await expect(stage.start()).rejects.toThrow(/holds the fixed keys of a local mode/)
  await sql`delete from api_keys where api_key = ${merchant.keys.apiKey}`
})

test('error: a token whose decimals the chain contradicts stops the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'till-decimals-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { chainId, rpcUrls, factory, confirmations } = stage.base.config
  const tokens = tableTokens(stage.base.config).map((token) => (token.symbol === 'DAI' ? { ...token, decimals: 6 } : token))
  const chain = { chain_id: chainId, rpc_url: rpcUrls, confirmations, tokens, operator: { env: 'TEST_OPERATOR' } }
  writeFileSync(join(folder, 'chains.json'), JSON.stringify({ owner: factory.owner, chains: [chain] }))
  await expect(stage.start({ TILL_CHAINS: join(folder, 'chains.json') })).rejects.toThrow(/DAI 0x[0-9a-f]{40} has 18 decimals, not 6/)
})

test('error: another factory than that of unfinished orders stops the start', async () => {
  const merchant = await stage.merchant()
  await checkout(merchant.at(first), { amount: '5', fiat_unit: 'usd' })
  const folder = mkdtempSync(join(tmpdir(), 'till-owner-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { chainId, rpcUrls, factory } = stage.base.config
  const chain = { chain_id: chainId, rpc_url: rpcUrls, operator: { env: 'TEST_OPERATOR' } }
  writeFileSync(join(folder, 'chains.json'), JSON.stringify({ owner: payers[0]!.address, chains: [chain] }))
  await expect(stage.start({ TILL_CHAINS: join(folder, 'chains.json') })).rejects.toThrow(
    new RegExp(`orders of another one are not finished: \\d+ of ${factory.address}`, 'i'),
  )
})

test('behavior: when the leader is killed, the other process sees, settles and notifies, and nothing is lost or doubled', async () => {
  const merchant = await stage.merchant()
  const client = merchant.at(second)
  const listening = await connectSocket(second.baseUrl, merchant.keys)
  await listening.subscribe()
  const [before, during] = [
    await checkout(client, { amount: '5', fiat_unit: 'usd' }),
    await checkout(client, { amount: '7', fiat_unit: 'usd' }),
  ]
  await stage.base.sendToken(payers[5]!, 'USDC', before.deposit, before.required)
  await first.service.kill9()
  await stage.base.sendToken(payers[5]!, 'USDC', during.deposit, during.required)
  for (const { id } of [before, during]) {
    await untilStatus(client, id, 'COMPLETED')
    await listening.next((frame) => frame.data?.event === 'ORDER_COMPLETED' && frame.data.order?.id === id)
  }
  const { number } = await stage.base.chain.head(AbortSignal.timeout(60_000))
  expect(await stage.base.chain.balances([merchant.recipient], stage.base.token('USDC'), number, AbortSignal.timeout(60_000))).toEqual([
    12_000_000n,
  ])
  await expectBooks(stage)
  await until(async () => (await leaders()) === 6)
  await listening.close()
})
