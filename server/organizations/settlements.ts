import { type ChainId, chains } from '../../src/wire/chain.ts'
import type { Sql, Tx } from '../database/connect.ts'

/** An organisation is paid here: sales in this currency go to the recipient, and their fees to the collector. */
export interface OrganizationSettlement {
  readonly chainId: ChainId
  readonly address: string | null
  readonly recipient: string
  readonly feeCollector: string
}

export const maxSettlements = 16

/** Returns the fee collector of the chain, or else of another chain of its family, where the same address means the same account. */
export function collectorOn(settlements: readonly OrganizationSettlement[], chainId: ChainId): string | undefined {
  const { family } = chains[chainId]
  const known =
    settlements.find((settlement) => settlement.chainId === chainId) ??
    settlements.find((settlement) => chains[settlement.chainId].family === family)
  return known?.feeCollector
}

/** The first is the default. */
export type OrganizationSettlements = readonly [OrganizationSettlement, ...OrganizationSettlement[]]

/** A list that was asked for by API and is not in force yet. */
export interface PendingSettlements {
  readonly number: string
  readonly settlements: OrganizationSettlements
  readonly askedAt: Date
  readonly inForceAt: Date
}

/** Puts the list in force at once, as the operator does, and cancels what is pending. Returns whether something was. */
export async function putSettlements(sql: Sql | Tx, organizationId: string, settlements: OrganizationSettlements): Promise<boolean> {
  await lockOrganization(sql, organizationId)
  const isCancelled = await cancelPending(sql, organizationId)
  await sql`
    insert into settlement_changes (organization_id, settlements, asked_by, asked_at, in_force_at)
    select ${organizationId}, ${sql.json(asJson(settlements))}, 'operator', clock_timestamp(), clock_timestamp()
    where ${sql.json(asJson(settlements))}::jsonb is distinct from (
      select settlements from settlement_changes
      where organization_id = ${organizationId} and cancelled_at is null order by in_force_at desc, number desc limit 1)`
  return isCancelled
}

/** Whoever holds a stolen secret must not be able to flood its owner with mail. */
export const changesPerDay = 10

/** Asks for a list that is in force after a while, in place of one that is pending. Returns the change, unless it is one too many to mail. */
export async function askForSettlements(
  tx: Tx,
  organizationId: string,
  { settlements, delaySeconds, token }: { settlements: OrganizationSettlements; delaySeconds: number; token: string },
): Promise<PendingSettlements | 'too_often'> {
  await lockOrganization(tx, organizationId)
  if (delaySeconds > 0 && (await countRecentChanges(tx, organizationId)) >= changesPerDay) return 'too_often'
  await cancelPending(tx, organizationId)
  const [row] = await tx`
    insert into settlement_changes (organization_id, settlements, asked_by, asked_at, in_force_at, announced, token)
    select ${organizationId}, ${tx.json(asJson(settlements))}, 'api', at, at + ${delaySeconds} * interval '1 second', ${delaySeconds === 0}, ${token}
    from (select clock_timestamp() as at offset 0) locked
    returning number, settlements, asked_at, in_force_at`
  if (!row) throw new Error('an insert returned no row')
  return pendingOf(row)
}

/** Counts what was asked for by API in the last day. */
async function countRecentChanges(tx: Tx, organizationId: string): Promise<number> {
  const [row] = await tx`
    select count(*)::int as count from settlement_changes
    where organization_id = ${organizationId} and asked_by = 'api' and asked_at > now() - interval '1 day'`
  return Number(row?.count ?? 0)
}

export async function pendingSettlements(sql: Sql | Tx, organizationId: string): Promise<PendingSettlements | undefined> {
  const [row] = await sql`
    select number, settlements, asked_at, in_force_at from settlement_changes
    where organization_id = ${organizationId} and ${isPending(sql)}`
  return row && pendingOf(row)
}

/** Finds a change that is still pending. */
export async function changeByNumber(sql: Sql, number: string): Promise<(PendingSettlements & { readonly token: string }) | undefined> {
  const [row] = await sql`
    select number, settlements, asked_at, in_force_at, token from settlement_changes where number = ${number} and ${isPending(sql)}`
  return row && { ...pendingOf(row), token: String(row.token) }
}

/** Finds a change that its mail's token may still cancel. */
export async function changeByToken(sql: Sql, token: string): Promise<PendingSettlements | undefined> {
  const [row] = await sql`
    select number, settlements, asked_at, in_force_at from settlement_changes
    where token = ${token} and ${isPending(sql)}`
  return row && pendingOf(row)
}

/** Returns false when the change is in force or was cancelled before. */
export async function cancelByToken(sql: Sql, token: string): Promise<boolean> {
  const cancelled = await sql`
    update settlement_changes set cancelled_at = now() where token = ${token} and ${isPending(sql)}`
  return cancelled.count === 1
}

/** A list that its owner has not been mailed about is not in force, however long ago it was asked for. */
const isPending = (sql: Sql | Tx) => sql`cancelled_at is null and (in_force_at > now() or not announced)`

/** The lock keeps two lists that are asked for at once from both being pending. */
const lockOrganization = (sql: Sql | Tx, id: string) => sql`select 1 from organizations where id = ${id} for no key update`

async function cancelPending(sql: Sql | Tx, organizationId: string): Promise<boolean> {
  const cancelled = await sql`
    update settlement_changes set cancelled_at = now() where organization_id = ${organizationId} and ${isPending(sql)}`
  return cancelled.count > 0
}

/** The mail about a change was sent, so the time in which it can be cancelled begins. */
export async function announceChange(sql: Sql, number: string): Promise<void> {
  await sql`
    update settlement_changes set announced = true, in_force_at = greatest(in_force_at, now() + (in_force_at - asked_at))
    where number = ${number} and not announced`
}

/** Nobody can be notified of the change any more, so it must not come into force. */
export async function cancelChange(sql: Sql, number: string): Promise<void> {
  await sql`update settlement_changes set cancelled_at = now() where number = ${number} and ${isPending(sql)}`
}

const pendingOf = ({ number, settlements, asked_at, in_force_at }: Record<string, unknown>): PendingSettlements => ({
  number: String(number),
  settlements: settlements as OrganizationSettlements,
  askedAt: asked_at as Date,
  inForceAt: in_force_at as Date,
})

const asJson = (settlements: OrganizationSettlements) => settlements.map((settlement) => ({ ...settlement }))
