import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../server/orders/model/order.ts'
import { expire } from '../../server/orders/expire.ts'
import { append } from '../../server/orders/append.ts'
import type { Sql } from '../../server/database/connect.ts'
import { newOrderOf, policy, t0 } from './model/support.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'

/** Orders that are due to expire while their chain cannot be read. */

let recording: Recording
let sql: Sql
beforeAll(async () => {
  recording = await startRecording()
  ;({ sql } = recording)
})
afterAll(() => recording?.close())

async function dueSince(seconds: number): Promise<Order> {
  const id = `ord_${seconds}`
  const order = await append(sql, undefined, [{ type: 'created', order: { ...newOrderOf(), id, deposits: { evm: id } } }], policy, t0)
  await sql`update orders set next_tick = now() - make_interval(secs => ${seconds}) where id = ${id}`
  return order
}

test('behavior: an order whose chain cannot be read waits, and one that changed meanwhile is due at its own time', async () => {
  const moving = await dueSince(20)
  const waiting = await dueSince(10)
  const stopping = new AbortController()
  const beforeExpiry = async (orderId: string) => {
    if (orderId === moving.id) await append(sql, moving, [{ type: 'became', status: 'EXPIRED' }], policy, t0)
    else stopping.abort()
    throw new Error('the chain is away')
  }
  await expire(recording.engine, beforeExpiry, stopping.signal)
  const rows = await sql`select id, next_tick, next_tick > now() as later from orders`
  expect(rows.find(({ id }) => id === moving.id)).toMatchObject({ next_tick: null })
  expect(rows.find(({ id }) => id === waiting.id)).toMatchObject({ later: true })
})
