import type { Sql } from '../database/connect.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import type { Route } from '../http/route.ts'

/**
 * Returns the fees that an organisation's fee collector received for it, in whole US cents, rounded down. It counts the organisation's own
 * share (`custom_fee_bps`) and not what the service charges for itself. If the collector is an address that the organisation names or has
 * named as its recipient, its fees were paid out on chain and nobody owes them. Negative entries reverse settlements that a reorganisation
 * removed. What the collector hands over is not in the ledger and not deducted. Each entry is valued at the price in its order's quote, so
 * past earnings do not move with the market.
 */
export async function feeBalanceCents(sql: Sql, organizationId: string): Promise<number> {
  const [row] = await sql`
    select coalesce(floor(100 * sum(
      l.amount * share.custom / share.total * (q.quote ->> 'assetUsd')::numeric / 10 ^ (q.quote -> 'asset' ->> 'decimals')::int
    )), 0)::text as cents
    from ledger l
    join orders o on o.id = l.order_id
    cross join lateral (
      select quote from jsonb_array_elements(o.state -> 'quotes') quote
      where (quote ->> 'id')::int = coalesce((o.state ->> 'fixedQuote')::int, (o.state ->> 'activeQuote')::int)
    ) q
    cross join lateral (
      select sum(fee.amount) filter (where fee.name = 'custom') as custom, sum(fee.amount) as total
      from (select key as name, (value ->> '~')::numeric as amount from jsonb_each(q.quote -> 'fees')) fee
    ) share
    cross join lateral (select coalesce(q.quote ->> 'feeCollector', o.state -> 'terms' ->> 'feeCollector') as address) collector
    where l.organization_id = ${organizationId} and l.account = 'fees' and share.total > 0
      and not exists (
        select from organization_recipients r where r.organization_id = l.organization_id and r.address = collector.address
        union all
        select from settlement_changes c, jsonb_array_elements(c.settlements) s
        where c.organization_id = l.organization_id and c.cancelled_at is null and c.announced and c.in_force_at <= now() and s ->> 'recipient' = collector.address
      )`
  return Math.max(0, Number(row?.cents ?? 0))
}

export function fees(route: Route, { sql }: { readonly sql: Sql }): void {
  route(endpoints.feeBalance, async ({ organizationId }) => ({
    body: { fee_balance: { amount_cents: await feeBalanceCents(sql, organizationId), fiat: 'usd' } },
    headers: { 'cache-control': 'no-store' },
  }))
}
