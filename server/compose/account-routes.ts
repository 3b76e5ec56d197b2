import { guardMoves } from '../guard/guard-move-routes.ts'
import type { ApprovalParts } from '../guard/sign-approval.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { type SettlementRules, settlements } from '../orders/routes/settlements.ts'
import { apiKeys } from '../organizations/api-keys.ts'
import { fees } from '../organizations/fees.ts'

export interface AccountRoutesParts {
  readonly engine: Engine
  readonly settlementRules: SettlementRules
  readonly rpcOf: ApprovalParts['rpcOf']
}

/** What concerns an organisation itself and none of its orders. */
export function accountRoutes(route: Route, { engine, settlementRules, rpcOf }: AccountRoutesParts): void {
  settlements(route, engine, settlementRules)
  guardMoves(route, { sql: engine.sql, rpcOf })
  apiKeys(route, engine)
  fees(route, engine)
}
