import type { Sql } from '../../../server/database/connect.ts'
import { type Organization, putOrganization } from '../../../server/organizations/organizations.ts'

export interface Merchant {
  readonly organization: Organization
  readonly keys: { readonly apiKey: string; readonly secret: string }
}

/** Creates an organisation without fees, with keys that follow from its name. */
export async function createMerchant(
  sql: Sql,
  name: string,
  change: Pick<Organization, 'settlements'> & Partial<Organization>,
): Promise<Merchant> {
  const organization: Organization = {
    id: `org_${name}`,
    name: `Shop ${name}`,
    isLive: true,
    fees: { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
    toleranceBps: 0,
    embedOrigins: [],
    unsignedOrders: true,
    ...change,
  }
  const keys = { apiKey: `pk_${name}`, secret: `sk_${name}` }
  await putOrganization(sql, organization, [{ id: `key_${name}`, ...keys, label: 'Test' }])
  return { organization, keys }
}
