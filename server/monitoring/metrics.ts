import { createServer } from 'node:http'
import type { Logger } from 'pino'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Chain } from '../chains/chain.ts'
import { type SecondNodeAnswer, secondNodeAnswers } from '../chains/second-node.ts'
import type { Sql } from '../database/connect.ts'
import { readingPool } from '../database/reading-pool.ts'
import type { Prices } from '../providers/prices.ts'
import { chainFigures } from './chain-figures.ts'
import { databaseFigures } from './database-figures.ts'
import { failingReadings } from './gauge-of.ts'
import { priceFigures } from './price-figures.ts'

export interface Metrics {
  readonly port: number
  request(method: string, status: number, seconds: number): void
  events(count: number): void
  secondNode(chainId: number, answer: SecondNodeAnswer): void
  close(): Promise<void>
}

export interface MetricsParts {
  readonly host: string
  readonly port: number
  readonly sql: Sql
  readonly chains: readonly Chain[]
  readonly prices: Prices
  readonly sockets: () => number
  readonly log: Pick<Logger, 'warn'>
}

/** A scrape needs no more connections to the database than these, however long its reads take. */
const poolSize = 3
/** PostgreSQL ends a read earlier than the scrape does, so that the reads behind it still have their turn. */
const statementTimeoutMs = 1_000

/** Serves metrics for the operator on a separate port, so that it need not be open to payers. */
export async function metrics(parts: MetricsParts): Promise<Metrics> {
  const { chains, log } = parts
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const counters = createCounters(registry, parts)
  const sql = readingPool(parts.sql, { max: poolSize, timeoutMs: statementTimeoutMs })
  const tools = {
    clock: () => performance.now(),
    onFailure: ({ name, chain }: { name: string; chain?: string }, error: unknown) =>
      log.warn({ err: error, reading: name, chain }, 'cannot read what /metrics shows; its figures are missing until it can be read again'),
  }
  const figures = [
    ...databaseFigures(sql, chains, tools),
    ...chainFigures(sql, chains, tools),
    priceFigures(parts.prices, chains, Date.now, tools),
  ]
  for (const gauge of figures.flatMap(({ gauges }) => gauges)) registry.registerMetric(gauge)
  const readings = figures.flatMap((part) => part.readings)
  registry.registerMetric(failingReadings(readings))
  /** All is read before any of it is written: a read that began between two gauges could be in one of them and not in the other. */
  const scrape = async () => {
    await Promise.all(readings.map((reading) => reading.read()))
    return registry.metrics()
  }

  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    scrape().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => {
        log.warn({ err: error }, 'cannot write the metrics; answering this scrape with 503')
        response.writeHead(503).end()
      },
    )
    return undefined
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(parts.port, parts.host, resolve)
  })
  const address = server.address()
  return {
    ...counters,
    port: typeof address === 'object' && address ? address.port : parts.port,
    close: async () => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      server.closeAllConnections()
      await closed
      await sql.end({ timeout: 1 })
    },
  }
}

function createCounters(
  registry: Registry,
  { chains, sockets }: Pick<MetricsParts, 'chains' | 'sockets'>,
): Pick<Metrics, 'request' | 'events' | 'secondNode'> {
  const registers = [registry]
  const requests = new Histogram({
    name: 'till_http_request_seconds',
    help: 'Time from a request to its response',
    labelNames: ['method', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  })
  const published = new Counter({ name: 'till_events_total', help: 'Order events read from the log by this process', registers })
  const answers = new Counter({
    name: 'till_second_node_total',
    help: 'Final transactions by what a second node says: agrees, differs, behind, unreachable (these three wait), skipped (not checked)',
    labelNames: ['chain', 'answer'],
    registers,
  })
  // A counter that begins with its first event shows no increase at that event.
  for (const { id } of chains) for (const answer of secondNodeAnswers) answers.inc({ chain: String(id), answer }, 0)
  registry.registerMetric(
    new Gauge({
      name: 'till_sockets',
      help: 'Open WebSocket connections',
      registers: [],
      collect() {
        this.set(sockets())
      },
    }),
  )
  return {
    request: (method, status, seconds) => requests.labels(method, String(status)).observe(seconds),
    events: (count) => published.inc(count),
    secondNode: (chainId, answer) => answers.inc({ chain: String(chainId), answer }),
  }
}
