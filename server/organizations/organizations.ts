import type { ChainId } from '../../src/wire/chain.ts'
import type { FeeTerms } from '../orders/model/quote.ts'
import type { Sql, Tx } from '../database/connect.ts'

export interface Organization {
  readonly id: string
  readonly name: string
  readonly isLive: boolean
  readonly settlement: { readonly chainId: ChainId; readonly address: string | null; readonly recipient: string }
  readonly feeCollector: string
  readonly fees: FeeTerms
  readonly toleranceBps: number
  readonly embedOrigins: readonly string[]
  /** Allows DEPOSIT orders to be created with the publishable key alone, which means by anybody. */
  readonly unsignedOrders: boolean
}

export async function organizationById(sql: Sql | Tx, id: string): Promise<Organization> {
  const [row] = await sql`select * from organizations where id = ${id}`
  if (!row) throw new Error(`no organisation ${id}`)
  return {
    id: row.id,
    name: row.name,
    isLive: row.is_live,
    settlement: { chainId: row.settlement_chain_id as ChainId, address: row.settlement_address, recipient: row.settlement_recipient },
    feeCollector: row.fee_collector,
    fees: row.fees,
    toleranceBps: row.tolerance_bps,
    embedOrigins: row.embed_origins,
    unsignedOrders: row.unsigned_orders,
  }
}

export interface NewKey {
  readonly id: string
  readonly apiKey: string
  readonly secret: string
  readonly label: string
  readonly isInternal?: boolean
}

/** Inserts or updates an organisation, so that a local start with new settings needs no new data folder. Existing keys stay as they are. */
export async function putOrganization(sql: Sql | Tx, organization: Organization, keys: readonly NewKey[]): Promise<void> {
  const row = {
    id: organization.id,
    name: organization.name,
    is_live: organization.isLive,
    settlement_chain_id: organization.settlement.chainId,
    settlement_address: organization.settlement.address,
    settlement_recipient: organization.settlement.recipient,
    fee_collector: organization.feeCollector,
    fees: sql.json({ ...organization.fees }),
    tolerance_bps: organization.toleranceBps,
    embed_origins: [...organization.embedOrigins],
    unsigned_orders: organization.unsignedOrders,
  }
  const { id: _, ...changes } = row
  await sql`insert into organizations ${sql(row)} on conflict (id) do update set ${sql(changes)}`
  await sql`
    insert into organization_recipients (organization_id, address) values (${organization.id}, ${organization.settlement.recipient})
    on conflict do nothing`
  for (const key of keys) await putApiKey(sql, organization.id, key)
}

export async function putApiKey(sql: Sql | Tx, organizationId: string, key: NewKey): Promise<void> {
  await sql`
    insert into api_keys (id, organization_id, label, api_key, secret, is_internal)
    values (${key.id}, ${organizationId}, ${key.label}, ${key.apiKey}, ${key.secret}, ${key.isInternal ?? false})
    on conflict do nothing`
}
