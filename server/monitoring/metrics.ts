import { createServer } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Chain } from '../chains/chain.ts'
import type { SecondNodeAnswer } from '../chains/second-node.ts'
import { sendMetrics } from './send-metrics.ts'
import { countSetAside } from '../orders/set-aside.ts'
import type { Sql } from '../database/connect.ts'

export interface Metrics {
  readonly port: number
  request(method: string, status: number, seconds: number): void
  events(count: number): void
  secondNode(chainId: number, answer: SecondNodeAnswer): void
  close(): Promise<void>
}

/** Serves metrics for the operator on a separate port, so that it need not be open to payers. */
export async function metrics(parts: {
  host: string
  port: number
  sql: Sql | undefined
  chains?: readonly Chain[]
  sockets: () => number
}): Promise<Metrics> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'till_http_request_seconds',
    help: 'Time from a request to its response',
    labelNames: ['method', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [registry],
  })
  const published = new Counter({
    name: 'till_events_total',
    help: 'Order events read from the log by this process',
    registers: [registry],
  })
  const secondNode = new Counter({
    name: 'till_second_node_total',
    help: 'Final transactions by what a second node says: agrees, differs, behind, unreachable (these three wait), skipped (not checked)',
    labelNames: ['chain', 'answer'],
    registers: [registry],
  })
  registry.registerMetric(
    new Gauge({
      name: 'till_sockets',
      help: 'Open WebSocket connections',
      registers: [],
      collect() {
        this.set(parts.sockets())
      },
    }),
  )
  const { sql, chains = [] } = parts
  if (sql) {
    for (const gauge of sendMetrics(sql, chains)) registry.registerMetric(gauge)
    registry.registerMetric(
      new Gauge({
        name: 'till_deliveries_waiting',
        help: 'Webhook deliveries that their receivers have not accepted yet',
        registers: [],
        async collect() {
          const [row] = await sql`select count(*)::int as waiting from deliveries where done_at is null and given_up_at is null`
          this.set(row?.waiting ?? 0)
        },
      }),
    )
    registry.registerMetric(
      new Gauge({
        name: 'till_orders_set_aside',
        help: 'Orders that cannot record their transfers, or what others have moved, by chain; each is retried with back-off',
        labelNames: ['chain'],
        registers: [],
        async collect() {
          this.reset()
          for (const { chainId, count } of await countSetAside(sql)) this.set({ chain: String(chainId) }, count)
        },
      }),
    )
  }
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(503).end(),
    )
    return undefined
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(parts.port, parts.host, resolve)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : parts.port,
    request: (method, status, seconds) => requests.labels(method, String(status)).observe(seconds),
    events: (count) => published.inc(count),
    secondNode: (chainId, answer) => secondNode.inc({ chain: String(chainId), answer }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
