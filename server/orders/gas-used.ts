import type { ChainId } from '../../src/wire/chain.ts'
import type { Sql, Tx } from '../database/connect.ts'

/** Gas is counted by organisation, chain and the hour of `at`. */
export interface GasHour {
  readonly organizationId: string
  readonly chainId: ChainId
  readonly at: Date
}

/** Unsigned orders have an account of their own. */
export interface GasAccount extends GasHour {
  readonly unsigned: boolean
}

const hourOf = (sql: Sql | Tx, at: Date) => sql`date_trunc('hour', ${at}::timestamptz)`

/** Books gas that was already spent, even beyond the budget. */
export async function bookGas(sql: Sql | Tx, { organizationId, chainId, unsigned, at }: GasAccount, gas: bigint): Promise<void> {
  if (gas === 0n) return
  await sql`
    insert into gas_used (organization_id, chain_id, hour, unsigned, gas)
    values (${organizationId}, ${chainId}, ${hourOf(sql, at)}, ${unsigned}, ${gas.toString()})
    on conflict (organization_id, chain_id, hour, unsigned) do update set gas = gas_used.gas + excluded.gas`
}

/** Books gas only if the sum stays within the budget, and returns whether it did. Concurrent calls cannot exceed it together. */
export async function reserveGas(
  sql: Sql | Tx,
  { organizationId, chainId, unsigned, at }: GasAccount,
  gas: bigint,
  budget: bigint,
): Promise<boolean> {
  if (gas > budget) return false
  const booked = await sql`
    insert into gas_used (organization_id, chain_id, hour, unsigned, gas)
    values (${organizationId}, ${chainId}, ${hourOf(sql, at)}, ${unsigned}, ${gas.toString()})
    on conflict (organization_id, chain_id, hour, unsigned) do update set gas = gas_used.gas + excluded.gas
    where gas_used.gas + excluded.gas <= ${budget.toString()}
    returning gas`
  return booked.length === 1
}

/** Returns what signed and unsigned orders have used in the hour of `at`. */
export async function gasUsed(
  sql: Sql | Tx,
  { organizationId, chainId, at }: GasHour,
): Promise<{ readonly signed: bigint; readonly unsigned: bigint }> {
  const rows = await sql<{ gas: string; unsigned: boolean }[]>`
    select gas::text, unsigned from gas_used
    where organization_id = ${organizationId} and chain_id = ${chainId} and hour = ${hourOf(sql, at)}`
  const usedBy = (unsigned: boolean) => BigInt(rows.find((row) => row.unsigned === unsigned)?.gas ?? 0)
  return { signed: usedBy(false), unsigned: usedBy(true) }
}

/** Agrees with all other processes on a chain's fee rate for the hour of `at`: the first rate that any of them offers counts. */
export async function feeRateOfHour(sql: Sql, chainId: ChainId, at: Date, offered: bigint): Promise<bigint> {
  const hour = hourOf(sql, at)
  await sql`insert into gas_prices (chain_id, hour, price) values (${chainId}, ${hour}, ${offered.toString()}) on conflict do nothing`
  const [row] = await sql`select price::text as price from gas_prices where chain_id = ${chainId} and hour = ${hour}`
  return row ? BigInt(row.price as string) : offered
}

const retentionDays = 30

export async function forgetOldGas(sql: Sql): Promise<void> {
  await sql`delete from gas_used where hour < now() - ${`${retentionDays} days`}::interval`
  await sql`delete from gas_prices where hour < now() - ${`${retentionDays} days`}::interval`
}
