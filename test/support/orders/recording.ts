import { orderEffects } from '../../../server/orders/order-effects.ts'
import type { Engine } from '../../../server/orders/engine.ts'
import { connect, type Sql } from '../../../server/database/connect.ts'
import { policy, t0 } from '../../orders/model/support.ts'
import { bareOrganization, silent } from '../../events/support.ts'
import { createDatabase, type TestDatabase } from '../service/database.ts'

export interface Recording {
  readonly database: TestDatabase
  readonly sql: Sql
  /** The parts of an engine that recording needs. */
  readonly engine: Engine
  close(): Promise<void>
}

/** Creates a database with one organisation, in which orders are recorded at the time `t0`. */
export async function startRecording(): Promise<Recording> {
  const database = await createDatabase()
  const sql = connect(database.url)
  await bareOrganization(sql, 'org_1')
  return {
    database,
    sql,
    engine: { sql, clock: () => t0, policy, notifyLog: () => undefined, effects: [orderEffects], sees: () => true, log: silent } as never,
    async close() {
      await sql.end()
      await database.drop()
    },
  }
}
