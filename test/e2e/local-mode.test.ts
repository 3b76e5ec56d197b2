import { statSync } from 'node:fs'
import { join } from 'node:path'
import { address as solanaAddress, createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit'
import * as btc from '@scure/btc-signer'
import { pubECDSA } from '@scure/btc-signer/utils.js'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { createBitcoinRpc } from '../../local/bitcoin/bitcoin-rpc.ts'
import { regtest } from '../../local/bitcoin/script.ts'
import { bitcoinChainId } from '../../local/bitcoin/start-local-bitcoin.ts'
import { solanaChainId } from '../../local/solana/start-local-solana.ts'
import { isAlive } from '../../local/pids.ts'
import { type Client, createClient } from '../support/client/client.ts'
import { descendants } from '../support/service/descendants.ts'
import { createPayer } from '../support/wallets/payer.ts'
import { solanaWallets } from '../support/wallets/solana-wallet.ts'
import { complete } from '../incoming/x402/support.ts'
import { checkout, untilStatus } from '../support/orders/payments.ts'
import { type Service, startService } from '../support/service/service.ts'
import { connectSocket } from '../support/client/socket.ts'
import { until } from '../support/wait.ts'

/** `npm start` without configuration, as a process: its output, its services and what it leaves behind. The tests depend on each other. */

interface Fixtures {
  readonly organization: { api_key: string; api_secret: string; webhook_secret: string }
  readonly chains: readonly {
    chain_id: number
    family: string
    rpc_url: string
    ws_url?: string
    tokens: readonly { symbol: string; address: string | null; decimals: number; eip3009: boolean }[]
  }[]
  readonly accounts: readonly { address: string; private_key: string }[]
  readonly wallets: readonly { family: string; address: string; secret: string }[]
  readonly operators: readonly { chain_id: number; address: string; private_key: string }[]
  readonly bank_account_id: string
}

let service: Service
let fixtures: Fixtures
let client: Client
const outputs: string[] = []
async function meet() {
  fixtures = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as Fixtures
  client = createClient(service.baseUrl, { apiKey: fixtures.organization.api_key, secret: fixtures.organization.api_secret })
}
beforeAll(async () => {
  service = await startService({ env: { LOG_LEVEL: 'trace', COUNTRY_HEADER: 'CF-IPCountry' } })
  await meet()
})
afterAll(async () => {
  await service?.close()
})

test('default: it prints where everything is, and everything is reachable', async () => {
  const output = service.output()
  expect(output).toMatch(/^ready http:\/\/localhost:\d+$/m)
  const links = [...output.matchAll(/^ {2}\S.* (https?:\S+)$/gm)].map((match) => match[1]!)
  expect(links.length).toBeGreaterThanOrEqual(4)
  for (const link of [service.payUrl, ...links]) expect([link, (await fetch(link)).status]).toEqual([link, 200])
  expect(await (await fetch(`${service.payUrl}/healthz`)).json()).toEqual({ status: 'ok' })
  const ready = async () => {
    const answer = await fetch(`${service.payUrl}/readyz`)
    return [answer.status, await answer.json()]
  }
  await expect.poll(ready).toEqual([200, expect.objectContaining({ ready: true })])
})

test('error: a mistyped address is answered by a page in the payer’s language, and for a program by a line of text', async () => {
  const stray = await fetch(`${service.payUrl}/pya/1`, { headers: { accept: 'text/html,*/*', 'accept-language': 'de' } })
  expect(stray.status).toBe(404)
  expect(stray.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(await stray.text()).toMatch(/<html lang="de".*<h1/s)
  const program = await fetch(`${service.payUrl}/pya/1`)
  expect([program.status, await program.text()]).toEqual([404, '404 Not Found'])
})

test('behavior: the payer is in the US until the configured header names another country', async () => {
  const { id } = await client.ask('createOrder', {
    body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd', settings: { card_payments: true } },
  })
  const card = async (headers: Record<string, string>) => {
    const { methods } = await client.ask('paymentMethods', { params: { order_id: id }, headers })
    const { available, problem } = methods.find(({ method }) => method === 'CARD')!
    return available || problem
  }
  expect(await card({})).toBe(true)
  expect(await card({ 'cf-ipcountry': 'FR' })).toBe(true)
  expect(await card({ 'cf-ipcountry': 'BR' })).toBe('card_place')
  expect(await card({ 'cf-ipcountry': 'XX' })).toBe('card_unplaced')
})

test('error: a price of zero is refused', async () => {
  const set = (usd: string) =>
    fetch(`${service.payUrl}/test/prices`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'dai', usd }),
    })
  for (const usd of ['0', '0.000', '-1']) expect((await set(usd)).status).toBe(400)
  expect((await set('1')).status).toBe(200)
})

test('behavior: the clock of an order can be moved, so that it expires at once, and nobody else’s does', async () => {
  const move = async (body: unknown) => {
    const answer = await fetch(`${service.payUrl}/test/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return [answer.status, (await answer.json()) as { expires_at: string }] as const
  }
  const create = () => client.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
  const [order, other] = [await create(), await create()]
  const moved = async (ms: number) => {
    const [status, answer] = await move({ order_id: order.id, advance_ms: ms })
    expect(status).toBe(200)
    return Date.parse(answer.expires_at)
  }
  const end = await moved(60_000)
  expect(await moved(5 * 60_000)).toBe(end - 5 * 60_000)
  await moved(24 * 3_600_000)
  await untilStatus(client, order.id, 'EXPIRED')
  expect((await client.ask('getOrder', { params: { order_id: other.id } })).status).toBe('PENDING')
  expect(await move({ order_id: order.id, advance_ms: 1 })).toEqual([
    409,
    expect.objectContaining({ message: expect.stringContaining('EXPIRED') }),
  ])
  expect(await move({ order_id: 'ord_unknown', advance_ms: 1 })).toEqual([404, expect.anything()])
  for (const wrong of [{ order_id: other.id }, { order_id: other.id, advance_ms: 0 }, { order_id: other.id, advance_ms: '1m' }])
    expect(await move(wrong)).toEqual([400, expect.objectContaining({ message: 'Send {order_id, advance_ms}, with 1 ms to 7 days.' })])
})

test('default: the contract’s fixtures exist, and every account has money', async () => {
  expect(fixtures.organization).toEqual({ api_key: 'pk_test_till', api_secret: 'sk_test_till', webhook_secret: 'whsec_test_till' })
  expect(fixtures.bank_account_id).toEqual(expect.any(String))
  expect(fixtures.chains.map(({ chain_id, family }) => [chain_id, family])).toEqual([
    [8453, 'evm'],
    [1, 'evm'],
    [bitcoinChainId, 'bitcoin'],
    [solanaChainId, 'solana'],
  ])
  expect(fixtures.operators.map(({ chain_id }) => chain_id)).toEqual([8453, 1, bitcoinChainId, solanaChainId])
  for (const { rpc_url, ws_url, tokens } of fixtures.chains.filter(({ family }) => family === 'evm')) {
    expect(rpc_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(ws_url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/)
    expect(tokens).toContainEqual({ symbol: 'USDC', address: expect.stringMatching(/^0x[0-9a-f]{40}$/i), decimals: 6, eip3009: true })
    for (const { address, private_key } of fixtures.accounts) {
      const payer = createPayer(rpc_url, private_key)
      expect(payer.address.toLowerCase()).toBe(address.toLowerCase())
      for (const token of tokens) expect(await payer.balance(token.address, address)).toBeGreaterThan(0n)
    }
  }
  const answer = await fetch(`${service.payUrl}/test/fixtures`, { headers: { origin: 'https://evil.example' } })
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
})

test('default: wallets of Bitcoin have coins, and the fixtures name the account of the orders’ addresses', async () => {
  const { rpc_url, tokens } = fixtures.chains.find(({ family }) => family === 'bitcoin')!
  expect(tokens).toEqual([{ symbol: 'BTC', address: null, decimals: 8, eip3009: false }])
  const rpc = createBitcoinRpc(rpc_url)
  for (const { address, secret } of fixtures.wallets.filter(({ family }) => family === 'bitcoin')) {
    expect(btc.p2wpkh(pubECDSA(btc.WIF(regtest).decode(secret)), regtest).address).toBe(address)
    const { total_amount } = await rpc.call('scantxoutset', ['start', [`addr(${address})`]], z.object({ total_amount: z.number() }))
    expect(total_amount).toBeGreaterThanOrEqual(4)
  }
  const operator = fixtures.operators.find(({ chain_id }) => chain_id === bitcoinChainId)!
  expect(operator.private_key).toMatch(/^tprv/)
  expect(operator.address).toMatch(/^bcrt1q/)
})

test('default: wallets of Solana have coins and tokens, and pay by the official client alone', async () => {
  const { rpc_url, ws_url, tokens } = fixtures.chains.find(({ family }) => family === 'solana')!
  expect(tokens.map(({ symbol, decimals }) => [symbol, decimals])).toEqual([
    ['USDC', 6],
    ['USDT', 6],
    ['SOL', 9],
  ])
  const usdc = solanaAddress(tokens[0]!.address!)
  const wallets = solanaWallets(rpc_url, ws_url!)
  const [payer, ...others] = await Promise.all(
    fixtures.wallets
      .filter(({ family }) => family === 'solana')
      .map(({ secret }) => createKeyPairSignerFromBytes(getBase58Encoder().encode(secret))),
  )
  expect(others).toHaveLength(2)
  const order = await checkout(
    client,
    { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' },
    { source: { chain_id: solanaChainId, address: usdc } },
  )
  await wallets.payToken(payer!, usdc, solanaAddress(order.deposit), order.required)
  const done = await untilStatus(client, order.id, 'COMPLETED')
  expect(done.payment?.output?.amount.raw).toBe('42500000')
})

test('default: the shop takes bitcoin and Solana too, as the last of its ways', async () => {
  const order = await client.ask('createOrder', { body: { mode: 'SALE', amount: '65', fiat_unit: 'usd' } })
  expect(order.settlements?.map(({ chain_id }) => chain_id)).toEqual([8453, 1, bitcoinChainId, solanaChainId, solanaChainId])
  expect(order.fulfillment.asset.chain_id).toBe(8453)
  const { data } = await client.ask('requestPayment', {
    params: { order_id: order.id },
    body: { source: { currency: { chain_id: bitcoinChainId, address: null }, payment_rail: 'CRYPTO' } },
  })
  expect(data.steps).toMatchObject([{ kind: 'deposit', data: { deposit_address: expect.stringMatching(/^bcrt1q/) } }])
})

test('default: one 402 offers signatures on EVM chains and on Solana', async () => {
  const order = await client.ask('createOrder', { body: { mode: 'SALE', amount: '65', fiat_unit: 'usd' } })
  const { required } = await complete(service.baseUrl, order.id)
  const networks = required?.accepts.map(({ network, scheme }) => [scheme, network])
  expect(networks).toContainEqual(['exact', 'eip155:8453'])
  expect(networks).toContainEqual(['exact', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'])
})

test('behavior: every local chain mines blocks on request', async () => {
  const mine = (body: unknown) =>
    fetch(`${service.payUrl}/test/mine`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const rpc = createBitcoinRpc(fixtures.chains.find(({ family }) => family === 'bitcoin')!.rpc_url)
  const height = () => rpc.call('getblockcount', [], z.number())
  const before = await height()
  expect((await mine({ chain_id: bitcoinChainId, blocks: 3 })).status).toBe(200)
  expect(await height()).toBeGreaterThanOrEqual(before + 3)
  const evm = createPublicClient({ transport: http(fixtures.chains[0]!.rpc_url), cacheTime: 0 })
  const block = await evm.getBlockNumber()
  expect((await mine({ chain_id: 8453, blocks: 2 })).status).toBe(200)
  expect(await evm.getBlockNumber()).toBeGreaterThanOrEqual(block + 2n)
  expect((await mine({ chain_id: 10 })).status).toBe(404)
  for (const body of [{}, { chain_id: 1, blocks: 0 }, { chain_id: 1, blocks: 1_000 }, { chain_id: '1' }, null])
    expect((await mine(body)).status).toBe(400)
})

test('behavior: metrics are served on a separate port', async () => {
  for (const path of ['/metrics', '/v3/metrics']) expect((await fetch(service.payUrl + path)).status).toBe(404)
  const [, link] = /(http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(service.output())!
  const figures = await (await fetch(link!)).text()
  expect(figures).toMatch(/^till_http_request_seconds_count/m)
  expect(figures).toMatch(/^till_sockets \d/m)
  expect(figures).toMatch(/^process_resident_memory_bytes/m)
})

test('behavior: prices can be set, and a bad price is refused', async () => {
  const set = (body: unknown) =>
    fetch(`${service.payUrl}/test/prices`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  expect((await set({ id: 'gbp', usd: '2' })).status).toBe(200)
  expect((await client.ask('createOrder', { body: { mode: 'SALE', amount: '10', fiat_unit: 'gbp' } })).fulfillment.amount.ui).toBe('20')
  expect((await set({ id: 'gbp', usd: '1.27', age_ms: 90_000_000 })).status).toBe(200)
  await client.refused('createOrder', 503, { body: { mode: 'SALE', amount: '10', fiat_unit: 'gbp' } })
  for (const body of [{}, { id: 'gbp', usd: 2 }, { id: 'gbp', usd: '-1' }, null]) expect((await set(body)).status).toBe(400)
})

test('behavior: more concurrent orders than database connections all succeed', async () => {
  const all = await Promise.all(
    Array.from({ length: 60 }, () => client.ask('createOrder', { body: { mode: 'SALE', amount: '1', fiat_unit: 'usd' } })),
  )
  expect(new Set(all.map(({ id }) => id)).size).toBe(60)
})

test('error: a second instance on the same data, and a port in use, each fail with one sentence and leave nothing behind', async () => {
  const failure = async (env: Record<string, string>) => {
    const error: unknown = await startService({ env }).then(
      (started) => started.close(),
      (reason: unknown) => reason,
    )
    return (error as Error).message
  }
  const second = await failure({ TILL_DATA: service.dataFolder })
  expect(second).toMatch(/ended with 1/)
  expect(
    second
      .trim()
      .split('\n')
      .filter((line) => /Another instance \(process \d+\) uses the data folder .*: stop it, or set TILL_DATA/.test(line)),
  ).toHaveLength(1)
  const busy = await failure({ PORT: new URL(service.payUrl).port })
  expect(busy).toMatch(/ended with 1/)
  expect(busy).toMatch(/^Port \d+ on 127\.0\.0\.1 is in use: stop what uses it, or set PORT to another\.$/m)
  for (const output of [second, busy]) expect(output).not.toMatch(/^\s+at /m)
  expect((await fetch(`${service.payUrl}/healthz`)).status).toBe(200)
})

test('behavior: after a kill it resumes with the same orders and money, and stops what the crash left running', async () => {
  const payer = createPayer(fixtures.chains[0]!.rpc_url, fixtures.accounts[1]!.private_key)
  const [paid, open] = [
    await checkout(client, { amount: '5', fiat_unit: 'usd' }),
    await checkout(client, { amount: '6', fiat_unit: 'usd' }),
  ]
  const asset = paid.created.fulfillment.asset
  await payer.pay(asset.address, paid.deposit, paid.required)
  await untilStatus(client, paid.id, 'COMPLETED')
  const completedAt = Date.now()
  const balance = await payer.balance(asset.address, paid.created.fulfillment.recipient)

  // A kill loses the blocks of a local chain that were mined after its state was last saved, and one save may already have been under way.
  const lastSave = () => statSync(join(service.dataFolder, 'chains/8453.state')).mtimeMs
  // It is saved more often while there is something to mine.
  const savedAfter = (time: number) =>
    until(
      async () => {
        await payer.pay(null, payer.address, 1n)
        return [lastSave()].find((at) => at > time)
      },
      { what: 'the chain is saved', timeout: 180_000 },
    )
  await savedAfter(await savedAfter(completedAt))

  const left = descendants(service.pid)
  expect(left.length).toBeGreaterThanOrEqual(3)
  await service.kill9()
  outputs.push(service.output())
  expect(left.some(isAlive)).toBe(true)
  const before = service
  service = await startService({ env: { LOG_LEVEL: 'trace' }, dataFolder: before.dataFolder })
  await until(() => !left.some(isAlive), { what: 'what the killed one left running is stopped' })
  await meet()
  const again = createPayer(fixtures.chains[0]!.rpc_url, fixtures.accounts[1]!.private_key)
  expect((await client.ask('getOrder', paid.path)).status).toBe('COMPLETED')
  expect(await again.balance(asset.address, paid.created.fulfillment.recipient)).toBe(balance)
  expect((await client.ask('getOrder', open.path)).status).toBe('AWAITING_PAYMENT')
  await again.pay(asset.address, open.deposit, open.required)
  await untilStatus(client, open.id, 'COMPLETED')
})

test('behavior: no log line contains a secret', () => {
  const output = [...outputs, service.output()].join('\n')
  expect(output).toMatch(/^ready/m)
  const secrets = [
    fixtures.organization.api_secret,
    fixtures.organization.webhook_secret,
    'sk_test_internal',
    'sk_test_guarded',
    ...fixtures.accounts.map(({ private_key }) => private_key),
    ...fixtures.operators.map(({ private_key }) => private_key),
    ...fixtures.wallets.map(({ secret }) => secret),
  ]
  for (const secret of secrets) {
    expect(output).not.toContain(secret)
    expect(output).not.toContain(secret.replace(/^0x/, ''))
  }
  expect(output).not.toMatch(/signature=[0-9a-f]{64}/)
  expect(output).not.toMatch(/whsec_\w{10}/)
  expect(output).not.toMatch(/postgres:\/\/[^\s"]*:[^\s"@]+@/)
})

test('behavior: on a stop it notifies its sockets, exits cleanly and leaves nothing running', async () => {
  const sockets = await Promise.all([
    connectSocket(service.baseUrl, client.keys),
    connectSocket(service.baseUrl, { apiKey: client.keys.apiKey }),
  ])
  const all = descendants(service.pid)
  expect(all.length).toBeGreaterThanOrEqual(3)
  const [code, ...closes] = await Promise.all([service.stop(), ...sockets.map((socket) => socket.closed)])
  expect(code).toBe(0)
  expect(closes).toEqual([1001, 1001])
  expect(all.filter(isAlive)).toEqual([])
  await expect(fetch(`${service.payUrl}/healthz`)).rejects.toThrow()
})
