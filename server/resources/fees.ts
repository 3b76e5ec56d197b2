import { endpoints } from '../../src/wire/endpoints.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../jobs/engine.ts'
import { feeBalanceCents } from '../store/fees.ts'

export const fees = (route: Route, engine: Engine): void => {
  route(endpoints.feeBalance, async ({ organizationId }) => ({
    body: { fee_balance: { amount_cents: await feeBalanceCents(engine.sql, organizationId), fiat: 'usd' } },
    headers: { 'cache-control': 'no-store' },
  }))
}
