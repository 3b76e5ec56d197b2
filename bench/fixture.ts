import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createHmac } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { startLocalChains } from '../local/chains.ts'
import { feeCollector, guard, merchant, operator, owner } from '../local/chains/accounts.ts'
import { removePostgres, startPostgres } from '../local/postgres.ts'
import { type Organization, putOrganization } from '../server/organizations/organizations.ts'
import { serve } from './http.ts'
import { inspectorOf } from './memory.ts'
import { tableTokens, testChain, type TestChain } from '../test/chains/support.ts'
import { freePort } from '../test/support/service/free-port.ts'

/** The built service runs as in production: one process, a durable PostgreSQL, and a chain whose blocks the bench mines. */
export interface Fixture {
  readonly sql: Sql
  readonly base: TestChain
  readonly baseUrl: string
  readonly databaseUrl: string
  /** This process serves `baseUrl`. */
  readonly first: Server
  /** Starts another process: on the same database and chain, unless `env` names others. */
  serve(env?: Readonly<Record<string, string>>): Promise<Server>
  /** Creates the organisation whose keys sign, which is paid to these. */
  createOrganization(sql: Sql, settlements: Organization['settlements']): Promise<unknown>
  /** Returns the headers of a signed call. */
  signed(method: string, path: string): Record<string, string>
  readonly apiKey: string
  close(): Promise<void>
}

const keys = { apiKey: 'pk_bench', secret: 'sk_bench' }
const settlementIn = (address: string | null) =>
  ({ chainId: 8453, address, recipient: merchant.address, feeCollector: feeCollector.address }) as const
/** Local mode polls as often. The default for a public node is 1000 ms, which would add to each figure. */
export const pollMs = 60

export interface Server {
  readonly baseUrl: string
  readonly pid: number
  readonly inspector: string
}

export async function startFixture(): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'till-bench-'))
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const close = async () => {
    for (const stop of stops.splice(0).toReversed()) await stop()
  }
  try {
    const database = await startPostgres({ folder: join(folder, 'postgres') })
    stops.push(() => removePostgres(join(folder, 'postgres')))
    const chains = await startLocalChains({ chainIds: [8453], mining: 'manual', confirmations: 3 })
    stops.push(chains.stop)
    const base = testChain(chains, 0, false)
    const prices = await startPrices()
    stops.push(prices.close)

    const table = join(folder, 'chains.json')
    writeFileSync(
      table,
      JSON.stringify({
        owner: owner.address,
        guard: { env: 'BENCH_GUARD' },
        chains: [
          {
            chain_id: 8453,
            rpc_url: base.anvil.rpcUrl,
            confirmations: 3,
            tokens: tableTokens(base.config),
            operator: { env: 'BENCH_OPERATOR' },
            poll_ms: pollMs,
          },
        ],
      }),
    )
    const serve: Fixture['serve'] = async (env) => {
      const port = await freePort()
      const server = await startServer({
        DATABASE_URL: database.url,
        TILL_CHAINS: table,
        BENCH_OPERATOR: operator.private_key,
        BENCH_GUARD: guard.private_key,
        PRICES_URL: prices.url,
        PRICES_SINGLE_SOURCE: 'true',
        PAY_URL: `http://127.0.0.1:${port}`,
        HOST: '127.0.0.1',
        PORT: String(port),
        RATE_PER_SECOND: '1000000',
        RATE_BURST: '1000000',
        LOG_LEVEL: 'warn',
        ...env,
      })
      stops.push(server.stop)
      return server
    }
    const first = await serve()
    const { baseUrl } = first
    const sql = postgres(database.url, { max: 16, onnotice: () => undefined })
    stops.push(() => sql.end({ timeout: 1 }))
    // An order has a quote for each of these.
    await createOrganization(sql, [settlementIn(base.token('USDC')), settlementIn(base.token('USDT')), settlementIn(null)])
    return { sql, base, baseUrl, databaseUrl: database.url, first, serve, createOrganization, apiKey: keys.apiKey, signed, close }
  } catch (error) {
    await close()
    throw error
  }
}

const createOrganization: Fixture['createOrganization'] = (sql, settlements) =>
  putOrganization(
    sql as never,
    {
      id: 'org_bench',
      name: 'Bench',
      isLive: true,
      settlements,
      fees: { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
      toleranceBps: 0,
      embedOrigins: [],
      unsignedOrders: true,
    },
    [{ id: 'key_bench', ...keys, label: '' }],
  )

const signed: Fixture['signed'] = (method, path) => {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', keys.secret)
    .update(method + path + timestamp)
    .digest('hex')
  return { authorization: keys.apiKey, 'authorization-signature': `APIKey=${keys.apiKey},signature=${signature},timestamp=${timestamp}` }
}

async function startServer(env: Record<string, string>): Promise<Server & { stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', '--enable-source-maps', 'dist/server/main.js'], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const inspector = inspectorOf(child)
  await Promise.race([
    new Promise<void>((resolve) => createInterface(child.stdout).on('line', (line) => line.startsWith('ready ') && resolve())),
    ended.then(() => Promise.reject(new Error('The service did not start.'))),
  ])
  return {
    baseUrl: `${env.PAY_URL}/v3`,
    pid: child.pid ?? 0,
    inspector: await inspector,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function startPrices() {
  const usd: Record<string, string> = { usdc: '1', usdt: '1', dai: '1', eth: '2500', btc: '65000', sol: '150' }
  return serve((request, response) => {
    const ids = new URL(request.url ?? '/', 'http://prices').searchParams.get('ids')?.split(',') ?? []
    const prices = Object.fromEntries(ids.flatMap((id) => (usd[id] ? [[id, { usd: usd[id], as_of: new Date().toISOString() }]] : [])))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ prices }))
  })
}
