import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { address, createSolanaRpc, type Rpc, type Signature, type SolanaRpcApi } from '@solana/kit'
import postgres, { type Sql } from 'postgres'
import * as z from 'zod'
import { solanaFeeCollector, solanaMerchant } from '../local/solana/accounts.ts'
import { type LocalSolana, solanaChainId, startLocalSolana } from '../local/solana/start-local-solana.ts'
import { localMint, localTokens, makeTokens } from '../local/solana/tokens.ts'
import { localSolanaEntry, solanaEnv } from '../test/chains/solana/support.ts'
import { solanaWallets } from '../test/support/wallets/solana-wallet.ts'
import { openBrowser } from './browser.ts'
import { type Figure, percentile } from './figures.ts'
import { type Fixture, pollMs } from './fixture.ts'
import { orderPayableIn } from './orders.ts'
import { firstFrame } from './screen.ts'

const rounds = 12
const slotMs = 100
const usdc = localTokens[0].address
/** Whoever pays for a transaction with one signature, and offers nothing for priority, pays this much. */
const plainFee = 5_000

/** Measures from a payer's transfer to the text on his screen, and what the settlement of an order costs the operator. */
export async function solanaFigures(fixture: Fixture): Promise<Figure[]> {
  const solana = await startLocalSolana({ slots: { ms: slotMs } })
  const folder = mkdtempSync(join(tmpdir(), 'till-bench-solana-'))
  const browser = await openBrowser()
  const database = new URL(fixture.databaseUrl)
  database.pathname = '/bench_solana'
  await fixture.sql`create database bench_solana`
  const sql = postgres(database.href, { max: 1 })
  try {
    const api = await serveSolana(fixture, solana, { sql, databaseUrl: database.href, table: join(folder, 'chains.json') })
    const wallets = solanaWallets(solana.node.url, solana.node.wsUrl)
    const payer = await wallets.payer(100_000_000_000n)
    await makeTokens(solana.node.ledger, solana.node.faucet, localMint(usdc), payer.address, 10_000_000_000n)
    const shown: number[] = []
    const confirmed: number[] = []
    for (let round = 0; round < rounds; round++) {
      const token = round % 2 === 0 ? usdc : null
      const { id, to, raw } = await orderPayableIn(api, { chain_id: solanaChainId, address: token })
      const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage()
      await page.goto(`${new URL(api.baseUrl).origin}/pay/${id}`)
      // Without a connected socket, a poll would be measured instead of a message.
      await page.waitForSelector('#till[data-ready=live]')
      const seen = page.evaluate<number>(firstFrame)
      const sent = performance.timeOrigin + performance.now()
      const paid = token === null ? wallets.paySol(payer, address(to), raw) : wallets.payToken(payer, usdc, address(to), raw)
      const [screen] = await Promise.all([seen, paid.then(() => confirmed.push(performance.timeOrigin + performance.now() - sent))])
      shown.push(screen - sent)
      await page.context().close()
    }
    const rpc = createSolanaRpc(solana.node.url)
    const [inCoins, inTokens] = [await feeOf(rpc, sql, false), await feeOf(rpc, sql, true)]
    const by = 'the official client, which waits for “confirmed” by subscription'
    const plain = 'a wallet’s own transfer, without priority'
    return [
      {
        what: 'a payer’s transfer on Solana → screen, p50',
        unit: 'ms',
        till: percentile(shown, 0.5),
        plain: percentile(confirmed, 0.5),
        by,
      },
      { what: '… p99', unit: 'ms', till: percentile(shown, 0.99), plain: percentile(confirmed, 0.99), by },
      { what: 'a settled order in SOL', unit: 'lamports', till: inCoins, plain: plainFee, by: plain },
      { what: 'a settled order in USDC on Solana', unit: 'lamports', till: inTokens, plain: plainFee, by: plain },
    ]
  } finally {
    await sql.end()
    await browser.stop()
    await solana.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Place {
  readonly sql: Sql
  readonly databaseUrl: string
  readonly table: string
}

/** Starts a service on this cluster, with a database of its own. */
async function serveSolana(
  fixture: Fixture,
  solana: LocalSolana,
  { sql, databaseUrl, table }: Place,
): Promise<Pick<Fixture, 'baseUrl' | 'signed'>> {
  writeFileSync(table, JSON.stringify({ chains: [localSolanaEntry(solana, { addresses_ahead: 50 })] }))
  const { baseUrl } = await fixture.serve({ ...solanaEnv, DATABASE_URL: databaseUrl, TILL_CHAINS: table })
  const payees = { recipient: solanaMerchant, feeCollector: solanaFeeCollector }
  await fixture.createOrganization(sql, [
    { chainId: solanaChainId, address: usdc, ...payees },
    { chainId: solanaChainId, address: null, ...payees },
  ])
  const Readiness = z.object({ checks: z.object({ [`chain_${solanaChainId}`]: z.object({ ok: z.boolean() }) }) })
  for (;;) {
    const answer = Readiness.parse(await (await fetch(`${new URL(baseUrl).origin}/readyz`)).json())
    if (answer.checks[`chain_${solanaChainId}`]?.ok) return { baseUrl, signed: fixture.signed }
    await pause()
  }
}

/** Waits until every order is settled, and returns the median of what the network charged for those in coins or in tokens. */
async function feeOf(rpc: Rpc<SolanaRpcApi>, sql: Sql, isToken: boolean): Promise<number> {
  for (;;) {
    const settled = await sql<{ signature: string; state: string }[]>`
      select signature, state from solana_payouts where kind = 'settlement' and (token is not null) = ${isToken}`
    if (settled.length >= rounds / 2 && settled.every(({ state }) => state === 'confirmed')) {
      const fees = await Promise.all(
        settled.map(async ({ signature }) => {
          const found = await rpc.getTransaction(signature as Signature, { maxSupportedTransactionVersion: 0, encoding: 'json' }).send()
          return Number(found?.meta?.fee ?? Number.NaN)
        }),
      )
      return percentile(fees, 0.5)
    }
    await pause()
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, pollMs))
