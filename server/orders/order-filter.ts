import { codecs } from '../../src/wire/addresses/codecs.ts'
import type { Network } from '../../src/wire/addresses/codec.ts'
import type { OrderListQuery } from '../../src/wire/order.ts'
import type { Sql } from '../database/connect.ts'
import { ApiError } from '../http/api-error.ts'

/** An address or a hash is compared in its canonical form, which depends on its family. A text can be one of several families. */
export interface OrderFilter extends Omit<OrderListQuery, 'address' | 'hash'> {
  readonly addresses?: readonly string[]
  readonly hashes?: readonly string[]
}

const networks: readonly Network[] = ['main', 'test', 'local']

const distinct = (texts: readonly (string | undefined)[]): string[] => [...new Set(texts.filter((text) => text !== undefined))]

export function orderFilter({ address, hash, ...query }: OrderListQuery): OrderFilter {
  const all = Object.values(codecs)
  const addresses =
    address === undefined
      ? undefined
      : distinct(all.flatMap((codec) => networks.map((network) => codec.addressesOn(network).read(address))))
  const hashes = hash === undefined ? undefined : distinct(all.map((codec) => codec.parseHash(hash)))
  if (addresses?.length === 0) throw malformed('address', 'must be an address of a chain that this service knows')
  if (hashes?.length === 0) throw malformed('hash', 'must be the hash of a transaction, in the form of its chain')
  return { ...query, addresses, hashes }
}

const malformed = (path: string, message: string): ApiError =>
  new ApiError(400, `Invalid query: ${path}: ${message}.`, { issues: [{ path, message }] })

/** Every condition has an index that begins with it or with the organisation. */
export function matchingOrders(sql: Sql, organizationId: string, filter: OrderFilter) {
  const { status, created_by: createdBy, created_after: after, created_before: before, reference, addresses, hashes } = filter
  const and = <T>(value: T | undefined, condition: (value: T) => ReturnType<typeof sql>) =>
    value === undefined ? sql`` : sql`and ${condition(value)}`
  return sql`organization_id = ${organizationId}
    ${and(status, (is) => sql`status = ${is}`)}
    ${and(createdBy, (is) => sql`created_by = ${is}`)}
    ${and(after, (time) => sql`created_at >= ${new Date(time)}`)}
    ${and(before, (time) => sql`created_at < ${new Date(time)}`)}
    ${and(reference, (is) => sql`state #>> '{terms,metadata,reference}' = ${is}`)}
    ${and(addresses, (any) => sql`id in (select order_id from deposits where address = any(${[...any]}))`)}
    ${and(hashes, (any) => sql`id in (select order_id from transfers where tx_hash = any(${[...any]}))`)}`
}
