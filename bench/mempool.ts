import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import * as z from 'zod'
import { createFaucet } from '../local/bitcoin/faucet.ts'
import { type BitcoinNode, connect } from '../local/bitcoin/find-bitcoind.ts'
import { startBitcoinNode } from '../local/bitcoin/start-bitcoin-node.ts'
import { bitcoin, bitcoinEntry, bitcoinEnv } from '../test/chains/bitcoin/support.ts'
import { keyHashAccount, type OwnedCoin, spend } from '../test/support/wallets/bitcoin-wallet.ts'
import { openBrowser } from './browser.ts'
import { type Figure, percentile } from './figures.ts'
import { type Fixture, pollMs } from './fixture.ts'
import { orderPayableIn } from './orders.ts'
import { firstFrame } from './screen.ts'

const rounds = 15
const coinAmount = 1_000_000n

/** Measures from a payer's broadcast of a transaction to the text on his screen. */
export async function mempoolFigures(fixture: Fixture): Promise<Figure[]> {
  const node = await connect(await startBitcoinNode())
  const folder = mkdtempSync(join(tmpdir(), 'till-bench-bitcoin-'))
  const browser = await openBrowser()
  try {
    const coins = await coinsOf(node)
    const api = await serveBitcoin(fixture, node, join(folder, 'chains.json'))
    const shown: number[] = []
    const listed: number[] = []
    for (const coin of coins) {
      const { id, to, raw } = await orderPayableIn(api, bitcoin)
      const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
      await page.goto(`${new URL(api.baseUrl).origin}/pay/${id}`)
      // Without a connected socket, a poll would be measured instead of a message.
      await page.waitForSelector('#till[data-ready=live]')
      const payment = spend([coin], { outputs: [[to, raw]] })
      const seen = page.evaluate<number>(firstFrame)
      const sent = performance.timeOrigin + performance.now()
      await node.rpc.call('sendrawtransaction', [payment.hex, 0], z.string())
      const [screen, mempool] = await Promise.all([seen, polled(node, payment.id)])
      shown.push(screen - sent)
      listed.push(mempool - sent)
      await page.context().close()
    }
    const by = `a poll of the node’s mempool every ${pollMs} ms, nothing read`
    return [
      {
        what: 'a payer’s broadcast in bitcoin → screen, p50',
        unit: 'ms',
        till: percentile(shown, 0.5),
        plain: percentile(listed, 0.5),
        by,
      },
      { what: '… p99', unit: 'ms', till: percentile(shown, 0.99), plain: percentile(listed, 0.99), by },
    ]
  } finally {
    await browser.stop()
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts a service on this node's chain, with a database of its own. */
async function serveBitcoin(fixture: Fixture, node: BitcoinNode, table: string): Promise<Pick<Fixture, 'baseUrl' | 'signed'>> {
  const database = new URL(fixture.databaseUrl)
  database.pathname = '/bench_bitcoin'
  await fixture.sql`create database bench_bitcoin`
  writeFileSync(table, JSON.stringify({ chains: [bitcoinEntry({ nodes: [{ rpc_url: node.url }], poll_ms: pollMs })] }))
  const { baseUrl } = await fixture.serve({ ...bitcoinEnv, DATABASE_URL: database.href, TILL_CHAINS: table })
  const sql = postgres(database.href, { max: 1 })
  const settlement = { chainId: bitcoin.chain_id, address: null }
  await fixture.createOrganization(sql, [
    { ...settlement, recipient: keyHashAccount('merchant').address, feeCollector: keyHashAccount('collector').address },
  ])
  await sql.end()
  await ready(baseUrl)
  return { baseUrl, signed: fixture.signed }
}

/** A service that has just started reads the chain's blocks first. */
async function ready(baseUrl: string): Promise<void> {
  const chain = `chain_${bitcoin.chain_id}`
  const Readiness = z.object({ checks: z.object({ [chain]: z.object({ ok: z.boolean() }) }) })
  for (;;) {
    const answer = Readiness.parse(await (await fetch(`${new URL(baseUrl).origin}/readyz`)).json())
    if (answer.checks[chain]?.ok) return
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** Gives a payer a coin for each round. All are in a block. */
async function coinsOf({ rpc }: BitcoinNode): Promise<readonly OwnedCoin[]> {
  const faucet = await createFaucet(rpc)
  const owner = keyHashAccount('payer')
  const txids: string[] = []
  for (let round = 0; round < rounds; round++) txids.push(await faucet.pay(owner.address, coinAmount))
  await faucet.mine(1)
  const Unspent = z.object({ unspents: z.array(z.object({ txid: z.string(), vout: z.number() })) })
  const { unspents } = await rpc.call('scantxoutset', ['start', [`addr(${owner.address})`]], Unspent)
  return unspents.filter(({ txid }) => txids.includes(txid)).map(({ txid, vout }) => ({ owner, txid, vout, amount: coinAmount }))
}

async function polled({ rpc }: BitcoinNode, txid: string): Promise<number> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    const waiting = await rpc.call('getrawmempool', [], z.array(z.string()))
    if (waiting.includes(txid)) return performance.timeOrigin + performance.now()
  }
}
