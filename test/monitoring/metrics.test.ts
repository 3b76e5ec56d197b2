import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Chain } from '../../server/chains/chain.ts'
import { healthOf } from '../../server/monitoring/health.ts'
import { type Metrics, metrics } from '../../server/monitoring/metrics.ts'
import type { Price } from '../../server/providers/prices.ts'
import { startTestChain, type TestChain } from '../chains/support.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'
import { scrape, type Scrape, valueOf } from './scrape.ts'

let database: TestDatabase
let testChain: TestChain
let figures: Metrics
const warned: object[] = []
/** What a scrape reads from outside answers, fails, or never answers. */
const node = { status: 'answers' as 'answers' | 'never' }
const price = { usd: undefined as (() => Promise<Price | undefined>) | undefined }

beforeAll(async () => {
  ;[database, testChain] = await Promise.all([createDatabase(), startTestChain()])
  const { chain } = testChain
  const never = () => new Promise<never>(() => undefined)
  const doubtful: Chain = {
    ...chain,
    id: 10,
    feed: { ...chain.feed, status: async (sql, signal) => (node.status === 'never' ? never() : chain.feed.status(sql, signal)) },
  }
  figures = await metrics({
    host: '127.0.0.1',
    port: 0,
    sql: database.sql,
    chains: [chain, doubtful],
    prices: { get: async () => price.usd?.() ?? { usd: '2', asOf: Date.now() } },
    sockets: () => 7,
    log: { warn: (details: object) => void warned.push(details) } as never,
  })
})
afterAll(async () => {
  await figures?.close()
  await database?.drop()
  await testChain?.stop()
})
beforeEach(() => {
  warned.length = 0
})

const failed = (scraped: Scrape) =>
  (scraped.get('till_reading_failed') ?? [])
    .filter(({ value }) => value === 1)
    .map(({ labels }) => `${labels.reading} ${labels.chain}`.trim())
const untilAllIsRead = () =>
  until(async () => {
    const scraped = await scrape(figures.port)
    return failed(scraped).length === 0 ? scraped : undefined
  })

test('default: every part is read', async () => {
  const scraped = await untilAllIsRead()
  expect(valueOf(scraped, 'till_sockets')).toBe(7)
  expect(valueOf(scraped, 'till_deliveries_waiting')).toBe(0)
  expect(valueOf(scraped, 'till_chain_head', { chain: '8453' })).toBeGreaterThanOrEqual(0)
  expect(valueOf(scraped, 'till_price_usable', { currency: 'usdc' })).toBe(1)
  expect(valueOf(scraped, 'till_second_node_total', { chain: '10', answer: 'differs' })).toBe(0)
})

test('behavior: the figures of one scrape are of the same reads, also when a read is due again while it is written', async () => {
  await untilAllIsRead()
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 100))
  const scraped = await scrape(figures.port)
  clock.mockRestore()
  const figureOf = { deliveries: 'till_deliveries_waiting', orders: 'till_orders_overdue_seconds', mails: 'till_mails_waiting' }
  for (const [reading, name] of Object.entries(figureOf))
    expect(failed(scraped).includes(reading), name).toBe(valueOf(scraped, name) === undefined)
})

test('error: tables that somebody has locked take only their own figures, and these come back', async () => {
  await untilAllIsRead()
  await database.sql.begin(async (tx) => {
    await tx`lock table webhooks, mails in access exclusive mode`
    const scraped = await until(async () => {
      const now = await scrape(figures.port)
      return failed(now).join() === 'deliveries,mails' ? now : undefined
    })
    for (const name of ['till_deliveries_waiting', 'till_webhooks_silent', 'till_mails_waiting'])
      expect(valueOf(scraped, name), name).toBeUndefined()
    expect(valueOf(scraped, 'till_orders_overdue_seconds')).toBe(0)
    expect(valueOf(scraped, 'till_chain_head', { chain: '8453' })).toBeDefined()
    for (const reading of ['deliveries', 'mails']) expect(warned).toContainEqual(expect.objectContaining({ reading }))
  })
  expect(valueOf(await untilAllIsRead(), 'till_mails_waiting')).toBe(0)
})

test('error: a node that does not answer takes only the figures of its own chain', async () => {
  await untilAllIsRead()
  node.status = 'never'
  const scraped = await until(async () => {
    const now = await scrape(figures.port)
    return failed(now).join() === 'head 10' ? now : undefined
  })
  expect(valueOf(scraped, 'till_chain_head', { chain: '10' })).toBeUndefined()
  expect(valueOf(scraped, 'till_chain_head', { chain: '8453' })).toBeDefined()
  expect(valueOf(scraped, 'till_operator_coin', { chain: '10' })).toBeDefined()
})

test('error: prices that are missing, or not answered at all, leave everything else', async () => {
  price.usd = async () => ({ usd: '2', asOf: Date.now() - 3_600_000 })
  await until(async () => {
    const scraped = await scrape(figures.port)
    expect(valueOf(scraped, 'till_price_usable', { currency: 'usdc' })).toBe(0)
    expect(valueOf(scraped, 'till_price_age_seconds', { currency: 'usdc' })).toBeGreaterThanOrEqual(3600)
    return true
  })
  price.usd = () => new Promise(() => undefined)
  await until(async () => {
    const scraped = await scrape(figures.port)
    expect(failed(scraped)).toContain('prices')
    expect(valueOf(scraped, 'till_price_usable', { currency: 'usdc' })).toBeUndefined()
    expect(valueOf(scraped, 'till_deliveries_waiting')).toBe(0)
    return true
  })
})

test('behavior: readiness answers while a table is locked, and says which chain it cannot judge', async () => {
  const { chain } = testChain
  const health = healthOf({
    sql: database.sql,
    chains: new Map([[chain.id, chain]]),
    warnAfterMs: 1_000,
    isStopping: () => false,
    clock: () => performance.now(),
  })
  const locking = postgres(database.url, { max: 1 })
  try {
    await locking.begin(async (tx) => {
      await tx`lock table sends in access exclusive mode`
      const { ready, checks } = await health()
      expect({ ready, checks }).toMatchObject({
        ready: false,
        checks: { database: { ok: true }, chain_8453: { ok: false, problem: 'The database does not answer.' } },
      })
    })
  } finally {
    await locking.end()
  }
})

test('error: a database that is gone leaves what the process knows by itself', async () => {
  await database.drop()
  const scraped = await until(async () => {
    const now = await scrape(figures.port)
    return failed(now).includes('orders') ? now : undefined
  })
  expect(valueOf(scraped, 'till_sockets')).toBe(7)
  expect(valueOf(scraped, 'till_orders_overdue_seconds')).toBeUndefined()
})
