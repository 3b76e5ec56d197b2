import { shiftClock } from './clock.ts'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pino from 'pino'
import { readConfig } from '../../server/config.ts'
import { httpCard } from '../../server/providers/card.ts'
import { openPrices } from '../../server/providers/price-sources/open-prices.ts'
import type { ServiceParts } from '../../server/compose/service-parts.ts'
import { openChains } from '../../server/compose/open-chains.ts'
import { startService } from '../../server/compose/service.ts'
import { connect } from '../../server/database/connect.ts'
import { serviceGuards } from '../../server/guard/service-guards.ts'
import { elapsed } from '../../server/compose/service-parts.ts'
import { keysOf } from '../../server/organizations/keys.ts'
import { migrate } from '../../server/database/migrate.ts'
import { whenReachable } from '../../server/database/unreachable.ts'

/**
 * One service process as in production, with three exceptions for a campaign on one machine: its clock can be shifted, webhook receivers
 * may be local, and retries are fast.
 */

type Render = ServiceParts['render']
type ReceiptSheetOf = ServiceParts['receiptSheet']
type Words = NonNullable<ServiceParts['invoicing']>['words']

const [, , dist = ''] = process.argv
const config = readConfig(process.env)
if (config.mode !== 'service' || !config.card) throw new Error('a campaign runs on a database, chains and a card provider of its own')
const { render, receiptSheet, invoiceWords } = (await import(pathToFileURL(join(dist, 'render/render.js')).href)) as {
  render: Render
  receiptSheet: ReceiptSheetOf
  invoiceWords: Words
}
const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
await whenReachable(
  () => migrate(config.databaseUrl),
  (error) => log.warn({ err: error }, 'cannot reach the database; trying again'),
)
const stopping = new AbortController()
const sql = connect(config.databaseUrl, 20)
const prices = openPrices({ config: config.prices, ids: [], log, clock: Date.now })
const guard = serviceGuards({ chains: config.chains, sql, keys: keysOf(sql, elapsed), prices, clock: Date.now })
const running = await startService({
  config,
  sql,
  chains: await openChains(config.chains, { guard, log, signal: stopping.signal }),
  prices,
  guard,
  log,
  render,
  receiptSheet,
  invoicing: { words: invoiceWords },
  clientDir: join(dist, 'client'),
  card: httpCard(config.card),
  deliveries: { schedule: [200, 400, 800, 1_000, 1_000, 1_000, 1_000], answerWithinMs: 1_500, leaseSeconds: 4 },
  isLocal: true,
})

process.on('message', ({ clockOffsetMs }: { clockOffsetMs: number }) => shiftClock(clockOffsetMs))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => {
  stopping.abort()
  void running.stop().then(() => process.exit(0))
})
process.send?.('ready')
