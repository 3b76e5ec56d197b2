import type { Sql } from './connect.ts'

/**
 * What an organisation has earned in fees and not claimed, in whole US cents. The ledger's account `fees` counts tokens; each entry is
 * worth what its order said the token was worth: the price frozen in the quote that was paid. So what was earned does not move with the
 * market, and the same ledger always says the same. A claim is an entry with the other sign. Rounded down, once, at the end.
 */
export const feeBalanceCents = async (sql: Sql, organizationId: string): Promise<number> => {
  const [row] = await sql`
    select coalesce(floor(100 * sum(l.amount * (q.quote ->> 'assetUsd')::numeric / 10 ^ (q.quote -> 'asset' ->> 'decimals')::int)), 0)::text as cents
    from ledger l
    join orders o on o.id = l.order_id
    cross join lateral (
      select quote from jsonb_array_elements(o.state -> 'quotes') as quote
      where quote -> 'id' = coalesce(o.state -> 'fixedQuote', o.state -> 'activeQuote')) q
    where l.organization_id = ${organizationId} and l.account = 'fees'`
  return Math.max(0, Number(row?.cents ?? 0))
}
