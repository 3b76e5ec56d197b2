import { canonicalIn } from '../../src/wire/addresses/canonical.ts'
import type { Sql } from '../database/connect.ts'

/**
 * Orders keep the factory of their terms, and this service follows one alone, so it must not start while others hold money. Throws a sentence
 * that names them.
 */
export async function refuseOtherFactories(sql: Sql, factory: string | undefined): Promise<void> {
  const rows = await sql<{ factory: string; orders: number }[]>`
    select state->'depositTerms'->>'factory' as factory, count(*)::int as orders from orders
    where state->'depositTerms' is not null
      and (status not in ('COMPLETED', 'EXPIRED', 'REFUNDED') or id in (
        select order_id from ledger where account = 'deposit' and chain_id < 20000000000000 group by order_id, chain_id, token having sum(amount) > 0))
    group by 1 order by 2 desc`
  const others = rows.filter((row) => canonicalIn('evm', row.factory) !== factory)
  if (others.length === 0) return
  const orders = others.map((other) => `${other.orders} of ${other.factory}`).join(', ')
  throw new Error(
    `TILL_CHAINS leads to the factory ${factory ?? '(none)'}, and orders of another one are not finished: ${orders}. Keep the owner whose factory they have until they are.`,
  )
}
