import type { Engine } from '../orders/engine.ts'
import { settlementLine } from '../orders/settlement-list.ts'
import { cancelByToken, changeByToken } from '../organizations/settlements.ts'
import type { SettlementChangePort } from '../pages/pages-parts.ts'

export const settlementChanges = (engine: Engine, sheet: string): SettlementChangePort => ({
  sheet,
  find: async (token) => {
    const change = await changeByToken(engine.sql, token)
    return change && { inForceAt: change.inForceAt, lines: change.settlements.map((settlement) => settlementLine(engine, settlement)) }
  },
  cancel: (token) => cancelByToken(engine.sql, token),
})
