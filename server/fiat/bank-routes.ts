import { endpoints } from '../../src/wire/endpoints.ts'
import { notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import type { Bank } from '../providers/bank.ts'
import { depositsOf } from './bank-queries.ts'

/** The bank says whose account it is: when it cannot be reached, nothing is shown to anybody. */
export function bankDeposits(route: Route, engine: Engine, bank: Bank | undefined): void {
  route(endpoints.bankDeposits, async ({ params, query, organizationId }) => {
    const account = await bank?.account(params.account_id)
    if (account?.organization_id !== organizationId) throw notFound('bank account')
    const { deposits, total } = await depositsOf(engine.sql, account.id, query)
    return { body: { data: deposits, pagination: { total_count: total, limit: query.limit, offset: query.offset } } }
  })
}
