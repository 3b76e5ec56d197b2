import { canonicalIn } from '../../src/wire/addresses/canonical.ts'
import type { Sql } from '../database/connect.ts'
import type { Keys } from '../http/access.ts'
import type { GuardOrganizations } from './create-guard.ts'

/** A guard inside the service believes the service's own database. */
export const databaseOrganizations = (sql: Sql, keys: Pick<Keys, 'find'>): GuardOrganizations => ({
  async ownerOf({ order_id }) {
    const [row] = await sql<{ organization_id: string }[]>`select organization_id from orders where id = ${order_id}`
    return row?.organization_id
  },
  async secretOf(apiKey) {
    const key = await keys.find(apiKey)
    return key && { organizationId: key.organizationId, secret: key.secret }
  },
})

export interface KnownOrganization {
  readonly id: string
  /** Orders that pay only these are the organisation's. Nobody can change the recipients in terms that exist. */
  readonly recipients: readonly string[]
  readonly keys: readonly { readonly apiKey: string; readonly secret: string }[]
}

/** A guard's process has its own list, which whoever takes over the service cannot change. */
export function listedOrganizations(list: readonly KnownOrganization[]): GuardOrganizations {
  const ownerOf = new Map(list.flatMap(({ id, recipients }) => recipients.map((address) => [canonicalIn('evm', address), id])))
  const secretOf = new Map(
    list.flatMap(({ id, keys }) => keys.map(({ apiKey, secret }) => [apiKey, { organizationId: id, secret }] as const)),
  )
  return {
    async ownerOf({ default_recipient, settlements }) {
      const recipients = [default_recipient, ...settlements.map(({ recipient }) => recipient)]
      const owners = new Set(recipients.map((address) => ownerOf.get(canonicalIn('evm', address))))
      return owners.size === 1 ? [...owners][0] : undefined
    },
    secretOf: async (apiKey) => secretOf.get(apiKey),
  }
}
