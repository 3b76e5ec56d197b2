import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payoutMetrics as bitcoinMetrics } from '../../server/chains/bitcoin/payouts/payout-queue.ts'
import { queueMetrics as evmMetrics, settlementGas } from '../../server/chains/evm/payouts/queue-metrics.ts'
import { payoutMetrics as solanaMetrics } from '../../server/chains/solana/payouts/payout-queue.ts'
import { logLag } from '../../server/events/log.ts'
import { waitingMails } from '../../server/invoices/waiting-mails.ts'
import { countSetAside } from '../../server/orders/set-aside.ts'
import { heldTransfers, waitingOrders } from '../../server/orders/waiting-orders.ts'
import { waitingDeliveries } from '../../server/webhooks/waiting-deliveries.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'

/** On this connection PostgreSQL scans a whole table only where no index can serve. There is one, so that its counts are exact. */
let database: TestDatabase
let sql: postgres.Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = postgres(database.url, { max: 1, connection: { enable_seqscan: 'off' } as object })
})
afterAll(async () => {
  await sql?.end()
  await database?.drop()
})

async function wholeScans(): Promise<ReadonlyMap<string, number>> {
  await sql`select pg_stat_force_next_flush()`
  const rows = await sql<{ relname: string; scans: string }[]>`select relname, seq_scan::text as scans from pg_stat_user_tables`
  return new Map(rows.map(({ relname, scans }) => [relname, Number(scans)]))
}

const reads: Readonly<Record<string, () => Promise<unknown>>> = {
  log: () => logLag(sql),
  deliveries: () => waitingDeliveries(sql),
  orders: () => waitingOrders(sql),
  held: () => heldTransfers(sql, [8453, 1]),
  'set aside': () => countSetAside(sql),
  mails: () => waitingMails(sql),
  'payouts on EVM': () => evmMetrics(sql, 8453),
  'payouts on Bitcoin': () => bitcoinMetrics(sql, 20_000_000_000_001),
  'payouts on Solana': () => solanaMetrics(sql, 30_000_000_000_001),
  'the usual gas': () => settlementGas(sql, 8453),
}

test.each(Object.entries(reads))('behavior: a scrape finds this by an index, however long a table is: %s', async (_, read) => {
  await read()
  const before = await wholeScans()
  await read()
  const after = await wholeScans()
  expect([...after].filter(([table, scans]) => scans !== before.get(table)).map(([table]) => table)).toEqual([])
})
