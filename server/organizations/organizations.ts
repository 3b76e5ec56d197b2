import type { ChainId } from '../../src/wire/chain.ts'
import type { ConfirmationTable } from '../orders/model/confirmations.ts'
import type { FeeTerms } from '../orders/model/quote.ts'
import { decodeJson, toJsonb } from '../database/json.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { type OrganizationSettlements, putSettlements } from './settlements.ts'

export interface Organization {
  readonly id: string
  readonly name: string
  readonly isLive: boolean
  /** A change of the settlements is announced to this address. */
  readonly email?: string
  /** These two are printed on its invoices, unless an invoice has its own. */
  readonly address?: string
  readonly taxNumber?: string
  readonly settlements: OrganizationSettlements
  readonly fees: FeeTerms
  readonly toleranceBps: number
  readonly embedOrigins: readonly string[]
  /** Allows DEPOSIT orders to be created with the publishable key alone, which means by anybody. */
  readonly unsignedOrders: boolean
  /** Its own guard signs for refunds and conversions of its new orders on EVM chains, in place of the operator's. */
  readonly guard?: string
  /** Payments of its new orders have to be at least so deep. */
  readonly confirmations?: readonly ConfirmationTable[]
}

export async function organizationById(sql: Sql | Tx, id: string): Promise<Organization> {
  const [row] = await sql`
    select organizations.*, in_force.settlements from organizations
      left join lateral (
        select settlements from settlement_changes
        where organization_id = organizations.id and cancelled_at is null and announced and in_force_at <= now()
        order by in_force_at desc, number desc limit 1
      ) in_force on true
    where id = ${id}`
  if (!row) throw new Error(`no organisation ${id}`)
  return {
    id: row.id,
    name: row.name,
    isLive: row.is_live,
    ...(row.email !== null && { email: row.email }),
    ...(row.address !== null && { address: row.address }),
    ...(row.tax_number !== null && { taxNumber: row.tax_number }),
    settlements: (row.settlements as OrganizationSettlements | null) ?? [
      {
        chainId: row.settlement_chain_id as ChainId,
        address: row.settlement_address,
        recipient: row.settlement_recipient,
        feeCollector: row.fee_collector,
      },
    ],
    fees: row.fees,
    toleranceBps: row.tolerance_bps,
    embedOrigins: row.embed_origins,
    unsignedOrders: row.unsigned_orders,
    ...(row.guard_address !== null && { guard: row.guard_address }),
    ...(row.confirmations !== null && { confirmations: decodeJson<readonly ConfirmationTable[]>(row.confirmations) }),
  }
}

export interface NewKey {
  readonly id: string
  readonly apiKey: string
  readonly secret: string
  readonly label: string
  readonly isInternal?: boolean
}

/**
 * Inserts or updates an organisation, so that a local start with new settings needs no new data folder. Existing keys stay as they are. Its
 * settlements are in force at once, and a change that was pending is cancelled, unless `keepsSettlements`. Returns whether one was.
 */
export async function putOrganization(
  sql: Sql | Tx,
  organization: Organization,
  keys: readonly NewKey[],
  { keepsSettlements = false } = {},
): Promise<boolean> {
  const { settlements } = organization
  const [first] = settlements
  const row = {
    id: organization.id,
    name: organization.name,
    is_live: organization.isLive,
    email: organization.email ?? null,
    address: organization.address ?? null,
    tax_number: organization.taxNumber ?? null,
    settlement_chain_id: first.chainId,
    settlement_address: first.address,
    settlement_recipient: first.recipient,
    fee_collector: first.feeCollector,
    fees: sql.json({ ...organization.fees }),
    tolerance_bps: organization.toleranceBps,
    embed_origins: [...organization.embedOrigins],
    unsigned_orders: organization.unsignedOrders,
    guard_address: organization.guard ?? null,
    confirmations: organization.confirmations ? sql.json(toJsonb(organization.confirmations)) : null,
  }
  const { id: _, ...changes } = row
  await sql`insert into organizations ${sql(row)} on conflict (id) do update set ${sql(changes)}`
  const isCancelled = !keepsSettlements && (await putSettlements(sql, organization.id, settlements))
  for (const key of keys) await putApiKey(sql, organization.id, key)
  return isCancelled
}

export async function putApiKey(sql: Sql | Tx, organizationId: string, key: NewKey): Promise<void> {
  await sql`
    insert into api_keys (id, organization_id, label, api_key, secret, is_internal)
    values (${key.id}, ${organizationId}, ${key.label}, ${key.apiKey}, ${key.secret}, ${key.isInternal ?? false})
    on conflict do nothing`
}
