import { randomBytes } from 'node:crypto'
import type { Sql, Tx } from '../../server/database/connect.ts'
import { putOrganization } from '../../server/organizations/organizations.ts'

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as never

/** Inserts the minimum of an order that an event can reference. */
export async function bareOrder(sql: Sql, organizationId: string): Promise<string> {
  const id = `ord_${randomBytes(6).toString('hex')}`
  const now = new Date()
  await sql`insert into orders ${sql({ id, organization_id: organizationId, mode: 'SALE', status: 'PENDING', deposit_address: id, version: 1, state: '{}', created_at: now, updated_at: now })}`
  return id
}

export async function bareOrganization(sql: Sql, id = 'org_a'): Promise<string> {
  await putOrganization(
    sql,
    {
      id,
      name: id,
      isLive: true,
      settlements: [{ chainId: 8453, address: null, recipient: '0x', feeCollector: '0x' }],
      fees: { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
      toleranceBps: 0,
      embedOrigins: [],
      unsignedOrders: true,
    },
    [{ id: `key_${id}`, apiKey: `pk_${id}`, secret: `sk_${id}`, label: '' }],
  )
  return id
}

/** Inserts one event as a change of an order does. */
export async function writeEvent(
  sql: Sql | Tx,
  orderId: string,
  event = 'ORDER_CREATED',
  more: { organizationId?: string; at?: Date; body?: string } = {},
): Promise<number> {
  const at = more.at ?? new Date()
  const body = more.body ?? JSON.stringify({ event, delivered_at: at.toISOString(), order: { id: orderId } })
  const [row] = await sql`
    insert into events (order_id, organization_id, event, socket_only, delivered_at, body)
    values (${orderId}, ${more.organizationId ?? 'org_a'}, ${event}, false, ${at}, ${body}) returning seq`
  return Number(row!.seq)
}
