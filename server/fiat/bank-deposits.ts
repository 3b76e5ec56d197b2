import type * as z from 'zod/mini'
import { transaction } from '../database/transaction.ts'
import type { BankOnrampDeposit } from '../../src/wire/bank.ts'
import type { Sql } from '../database/connect.ts'
import { decodeJson, toJsonb } from '../database/json.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import { notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import type { Bank } from '../providers/bank.ts'

type Deposit = z.infer<typeof BankOnrampDeposit>

/** Inserts or updates a deposit. An update must be newer, name the same account, and not change the status of a finished deposit. */
export async function putDeposit(sql: Sql, organizationId: string, deposit: Deposit): Promise<void> {
  const row = {
    id: deposit.id,
    account_id: deposit.account_id,
    status: deposit.status,
    source_currency: deposit.source_currency,
    destination: sql.json(toJsonb(deposit.destination)),
    settlement: deposit.settlement ? sql.json(toJsonb(deposit.settlement)) : null,
    created_at: new Date(deposit.created_at),
    updated_at: new Date(deposit.updated_at),
  }
  await transaction(sql, async (tx) => {
    await tx`insert into bank_accounts (id, organization_id) values (${deposit.account_id}, ${organizationId}) on conflict do nothing`
    await tx`
      insert into bank_deposits ${tx(row)}
      on conflict (id) do update set ${tx(row, 'status', 'destination', 'settlement', 'updated_at')}
      where bank_deposits.account_id = excluded.account_id and bank_deposits.updated_at < excluded.updated_at
        and (bank_deposits.status = 'PROCESSING' or bank_deposits.status = excluded.status)`
  })
}

/** Returns the newest deposits first. */
export async function depositsOf(
  sql: Sql,
  accountId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ readonly deposits: readonly Deposit[]; readonly total: number }> {
  const [rows, [count]] = await Promise.all([
    sql`select * from bank_deposits where account_id = ${accountId} order by created_at desc, id desc limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total from bank_deposits where account_id = ${accountId}`,
  ])
  return {
    deposits: rows.map((row) => ({
      id: row.id,
      account_id: row.account_id,
      status: row.status,
      source_currency: row.source_currency,
      destination: decodeJson<Deposit['destination']>(row.destination),
      settlement: row.settlement === null ? null : decodeJson<NonNullable<Deposit['settlement']>>(row.settlement),
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    })),
    total: count?.total ?? 0,
  }
}

/** The bank decides which organisation owns an account, so without its answer no deposits are listed. */
export function bankDeposits(route: Route, engine: Engine, bank: Bank | undefined): void {
  route(endpoints.bankDeposits, async ({ params, query, organizationId }) => {
    const account = await bank?.account(params.account_id)
    if (account?.organization_id !== organizationId) throw notFound('bank account')
    const { deposits, total } = await depositsOf(engine.sql, account.id, query)
    return { body: { data: deposits, pagination: { total_count: total, limit: query.limit, offset: query.offset } } }
  })
}
