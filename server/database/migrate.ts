import postgres from 'postgres'
import { transaction } from './transaction.ts'

/** The migrations are bundled as text into the built service. New ones are only added: the statements of a released one never change. */
const files: Record<string, string> = import.meta.glob('./migrations/*.sql', { query: '?raw', import: 'default', eager: true })

const lockNumber = 7_455_512

/** Migrates a database to this release's schema. Several processes may call it at once: a lock lets one work while the others wait. */
export async function migrate(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await sql`select pg_advisory_lock(${lockNumber})`
    await sql`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
    const applied = new Set((await sql<{ name: string }[]>`select name from migrations`).map((row) => row.name))
    for (const [path, text] of Object.entries(files).sort(([a], [b]) => a.localeCompare(b))) {
      const name = path.replace(/^.*\//, '')
      if (applied.has(name)) continue
      await transaction(sql, async (tx) => {
        await tx.unsafe(text)
        await tx`insert into migrations (name) values (${name})`
      })
    }
    await sql`
      insert into epochs (system_identifier)
      select system_identifier::text from pg_control_system()
      on conflict do nothing`
    // A restored copy may count its transactions anew. Readers would wait for its old events if they did not sort before all new ones.
    await sql`update events set xid = '0' where xid >= pg_snapshot_xmax(pg_current_snapshot())`
  } finally {
    await sql.end({ timeout: 5 })
  }
}
