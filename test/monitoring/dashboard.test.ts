import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { operator } from '../../local/chains/accounts.ts'
import { agreedPrices } from '../../server/providers/price-sources/agreed-prices.ts'
import type { PriceSource } from '../../server/providers/price-sources/price-source.ts'
import { startWorld, type World } from '../incoming/x402/support.ts'
import { root } from '../support/root.ts'
import { until } from '../support/wait.ts'
import { readsOf } from './expression.ts'
import { type Scrape, scrape, valueOf } from './scrape.ts'

/** The alert rules and the dashboard are compared with what a service really exports, so that a renamed metric does not silence an alert. */
const read = (path: string) => readFileSync(join(root, 'docs', path), 'utf8')

const Rules = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.optional(z.string().check(z.regex(/^\d+[smh]$/))),
          labels: z.object({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.object({ summary: z.string(), runbook: z.string() }),
        }),
      ),
    }),
  ),
})
const Dashboard = z.object({
  title: z.string(),
  panels: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      targets: z.optional(z.array(z.object({ expr: z.string(), legendFormat: z.string() }))),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
    }),
  ),
})

const alerts = z.parse(Rules, parse(read('monitoring/alerts.yaml'))).groups.flatMap(({ rules }) => rules)
const { panels } = z.parse(Dashboard, JSON.parse(read('monitoring/dashboard.json')))

const source = (name: PriceSource['name']): PriceSource => ({
  name,
  get: async () => ({ usd: '2', asOf: Date.now() }),
  hasFailed: () => false,
})
const prices = agreedPrices({
  sources: [source('kraken'), source('coinbase')],
  isSingle: false,
  clock: Date.now,
  elapsed: () => performance.now(),
})

let world: World
let scraped: Scrape
beforeAll(async () => {
  world = await startWorld({ prices })
  const { engine, metricsPort, payUrl } = world.running
  await until(async () => valueOf(await scrape(metricsPort), 'till_operator_settlements_left', { chain: '8453' }) !== undefined)
  await until(async () => valueOf(await scrape(metricsPort), 'till_chain_lag_seconds', { chain: '8453' }) !== undefined)
  // A transaction that waits for coin, and one that waits for a block, have ages.
  await world.test.anvil.ask(['anvil_setBalance', operator.address, '0x1'])
  const order = await world.order()
  await world.test.chain.payouts.enqueueCall(engine.sql, {
    id: 'waits',
    to: world.test.depositAddress('somewhere'),
    data: '0x',
    value: 0n,
    purpose: { kind: 'x402_wallet', orderId: order.id, ref: '' },
  })
  await fetch(`${payUrl}/healthz`)
  scraped = await until(async () => {
    const now = await scrape(metricsPort)
    const isWhole = now.get('till_reading_failed')?.every(({ value }) => value === 0)
    return isWhole && valueOf(now, 'till_send_oldest_seconds', { state: 'unsent' }) !== undefined ? now : undefined
  })
})
afterAll(() => world?.close())

/** Prometheus adds these labels, and `up` itself. */
const added = new Set(['job', 'instance'])
/** Nothing makes these values in this test. */
const elsewhere = new Set(['till_send_oldest_seconds state unmined'])

function problemsOf(expression: string): string[] {
  const reads = readsOf(expression).filter(({ metric }) => metric !== 'up')
  return reads.flatMap(({ metric, labels, values }) => {
    const samples = scraped.get(metric)
    if (!samples) return [`${metric} is not exported`]
    if (samples.length === 0) return [`${metric} has no samples`]
    const missing = labels.filter((label) => !added.has(label) && !samples.some((sample) => label in sample.labels))
    const unknown = values.filter(
      ({ label, value }) =>
        !added.has(label) &&
        !samples.some((sample) => new RegExp(`^(?:${value})$`).test(sample.labels[label] ?? '')) &&
        !elsewhere.has(`${metric} ${label} ${value}`),
    )
    return [
      ...missing.map((label) => `${metric} has no label ${label}`),
      ...unknown.map(({ label, value }) => `${metric} has no ${label}="${value}"`),
    ]
  })
}

describe('alerts', () => {
  test.each(alerts)('default: $alert reads metrics and labels that a service exports', ({ expr }) => {
    expect(readsOf(expr)).not.toHaveLength(0)
    expect(problemsOf(expr)).toEqual([])
  })

  test('default: each has one name, and a paragraph in the documentation that says what to do', () => {
    const names = alerts.map(({ alert }) => alert)
    expect(new Set(names).size).toBe(names.length)
    const headings = [...read('monitoring.md').matchAll(/^### (Till\w+)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(names)
    for (const { alert, annotations } of alerts) expect(annotations.runbook).toBe(`monitoring.md#${alert.toLowerCase()}`)
  })
})

describe('the dashboard', () => {
  test.each(panels.filter(({ targets }) => targets))(
    'default: "$title" reads metrics and labels that a service exports',
    ({ targets = [] }) => {
      for (const { expr, legendFormat } of targets) {
        expect(problemsOf(expr)).toEqual([])
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
        const labels = readsOf(expr).flatMap((read) => [...read.labels, ...added])
        expect(labels).toEqual(expect.arrayContaining(named))
      }
    },
  )

  test('default: no two panels overlap or have one id', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
  })
})

describe('what a service exports', () => {
  test('default: every metric of its own is explained', () => {
    const own = [...scraped.keys()].filter((name) => name.startsWith('till_')).map((name) => name.replace(/_(bucket|sum|count)$/, ''))
    const text = read('monitoring.md')
    expect([...new Set(own)].filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })

  test('behavior: labels are of chains, currencies, states and sources, and of nobody who could make any number of them', () => {
    const own = [...scraped].filter(([name]) => name.startsWith('till_')).flatMap(([, samples]) => samples)
    const labels = new Set(own.flatMap((sample) => Object.keys(sample.labels)))
    expect([...labels].toSorted()).toEqual(
      ['age', 'answer', 'chain', 'currency', 'kind', 'le', 'method', 'reading', 'source', 'state', 'status'].toSorted(),
    )
  })
})
