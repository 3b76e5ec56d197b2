import { endpoints } from '../../src/wire/endpoints.ts'
import type { Sql } from '../database/connect.ts'
import type { Route } from '../http/route.ts'
import { feeBalanceCents } from './fees.ts'

export function fees(route: Route, { sql }: { readonly sql: Sql }): void {
  route(endpoints.feeBalance, async ({ organizationId }) => ({
    body: { fee_balance: { amount_cents: await feeBalanceCents(sql, organizationId), fiat: 'usd' } },
    headers: { 'cache-control': 'no-store' },
  }))
}
