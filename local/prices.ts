import type { Sql } from '../server/database/connect.ts'
import { isPrice, type Prices } from '../server/providers/prices.ts'

const starting: Record<string, string> = {
  btc: '65000',
  eth: '2500',
  sol: '150',
  usdc: '1',
  usdt: '1',
  dai: '1',
  eur: '1.08',
  gbp: '1.27',
  mxn: '0.055',
  brl: '0.18',
  cop: '0.00024',
}

/** Local prices can be set, are stored for the next start, and are fresh unless a test gives them an age. */
export interface LocalPrices extends Prices {
  set(id: string, usd: string, ageMs?: number): Promise<void>
}

/** Prices are served from memory, since they are read inside transactions, where a second connection for each could exceed the pool. */
export async function localPrices(sql: Sql, clock: () => number): Promise<LocalPrices> {
  const rows = await sql`select id, usd, age_ms from local_prices`
  const known = new Map(Object.entries(starting).map(([id, usd]) => [id, { usd, ageMs: 0 }]))
  for (const row of rows) if (isPrice(row.usd)) known.set(row.id, { usd: row.usd, ageMs: row.age_ms })
  return {
    async get(name) {
      const price = known.get(name.toLowerCase())
      return price && { usd: price.usd, asOf: clock() - price.ageMs }
    },
    async set(name, usd, ageMs = 0) {
      const id = name.toLowerCase()
      await sql`insert into local_prices (id, usd, age_ms) values (${id}, ${usd}, ${ageMs}) on conflict (id) do update set usd = excluded.usd, age_ms = excluded.age_ms`
      known.set(id, { usd, ageMs })
    },
  }
}
