import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertSend, sendsDue } from '../../server/chains/evm/payouts/queue.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database?.drop())

test('behavior: signed payments are sent first, and each kind in the order of its requests', async () => {
  const { sql } = database
  const send = (id: string, priority?: number) =>
    insertSend(sql, {
      id,
      chainId: 8453,
      to: '0x00000000000000000000000000000000000000aa',
      data: '0x',
      value: 0n,
      priority,
      purpose: { kind: 'settlement', orderId: id, ref: 's1' },
    })
  for (const [id, priority] of [
    ['a', 1],
    ['b', undefined],
    ['c', 1],
    ['d', 0],
  ] as const)
    await send(id, priority)
  const ids = async (limit: number) => (await sendsDue(sql, 8453, limit)).map((queued) => queued.id)
  expect(await ids(10)).toEqual(['b', 'd', 'a', 'c'])
  expect(await ids(3)).toEqual(['b', 'd', 'a'])
})
