import type { Sql } from '../store/connect.ts'
import type { Prices } from '../providers/prices.ts'

const starting: Record<string, string> = {
  eth: '2500',
  usdc: '1',
  usdt: '1',
  dai: '1',
  eur: '1.08',
  gbp: '1.27',
  mxn: '0.055',
  brl: '0.18',
  cop: '0.00024',
}

/** Prices of the local mode: settable, the same in every process, and fresh unless a test says otherwise. */
export interface LocalPrices extends Prices {
  set(id: string, usd: string, ageMs?: number): Promise<void>
}

export const localPrices = (sql: Sql, clock: () => number): LocalPrices => ({
  async get(name) {
    const id = name.toLowerCase()
    const [row] = await sql`select usd, age_ms from local_prices where id = ${id}`
    if (row) return { usd: row.usd, asOf: clock() - row.age_ms }
    const usd = starting[id]
    return usd === undefined ? undefined : { usd, asOf: clock() }
  },
  async set(name, usd, ageMs = 0) {
    const id = name.toLowerCase()
    await sql`insert into local_prices (id, usd, age_ms) values (${id}, ${usd}, ${ageMs}) on conflict (id) do update set usd = excluded.usd, age_ms = excluded.age_ms`
  },
})
