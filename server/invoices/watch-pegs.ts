import { pause } from '../lib/pause.ts'
import type { Engine } from '../orders/engine.ts'
import { newId } from '../orders/new-order.ts'
import { offPeg } from '../orders/peg.ts'
import { organizationById } from '../organizations/organizations.ts'
import { enqueueNotice } from './mails.ts'

const everyMs = 60_000

/** Mails merchants that a token in which they are paid is not worth what it is pegged to, and so is priced by the market. */
export async function watchPegs(engine: Engine, signal: AbortSignal): Promise<void> {
  const reported = new Set<string>()
  while (!signal.aborted) {
    await lookAtPegs(engine, reported).catch((error: unknown) => {
      if (!signal.aborted) engine.log.warn({ err: error }, 'cannot check whether pegged tokens are worth their unit; retrying')
    })
    await pause(everyMs, signal)
  }
}

/** A token is reported once a day by a process, and mailed once a day by all of them. */
export async function lookAtPegs(engine: Engine, reported: Set<string>): Promise<void> {
  const { sql, log } = engine
  const day = new Date(engine.clock()).toISOString().slice(0, 10)
  for (const { token, unit, usd } of await offPeg(engine)) {
    const { symbol, chainId, address } = token
    const name = `${symbol} ${chainId} ${day}`
    if (reported.has(name)) continue
    log.warn({ symbol, chain: chainId, usd }, 'a pegged token is outside its band: its orders are priced by the market')
    for (const { id } of await sql`select id from organizations where email is not null`) {
      const { settlements } = await organizationById(sql, id)
      if (!settlements.some((settlement) => settlement.chainId === chainId && settlement.address === address)) continue
      const notice = { kind: 'off_peg', symbol, unit, usd, day } as const
      await enqueueNotice(sql, { id: newId('mail'), organizationId: id, key: `off_peg ${symbol} ${day}`, notice })
    }
    reported.add(name)
  }
}
