import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasGasForWallet } from '../../server/orders/gas-budget.ts'
import { bookGas } from '../../server/orders/gas-used.ts'
import type { Order } from '../../server/orders/model/order.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
  await database.sql`
    insert into organizations (id, name, is_live, settlement_chain_id, settlement_recipient, fee_collector, fees)
    values ('org_1', 'Shop', false, 8453, '0x1', '0x2', '{}')`
})
afterAll(() => database?.drop())

test('behavior: unsigned orders use up their share of the budget, however much they have used, and leave signed orders the rest', async () => {
  const { sql } = database
  const at = new Date('2026-05-01T12:30:00Z')
  const engine = { sql, clock: () => at.getTime(), gasPerHour: 1_000n }
  const chainId = 8453
  const order = (createdBy: 'key' | 'signature') => ({ organizationId: 'org_1', terms: { createdBy } }) as unknown as Order
  const hasGas = async () => ({
    signed: await hasGasForWallet(engine, order('signature'), chainId),
    unsigned: await hasGasForWallet(engine, order('key'), chainId),
  })
  const book = (unsigned: boolean, gas: bigint) => bookGas(sql, { organizationId: 'org_1', chainId, unsigned, at }, gas)
  expect(await hasGas()).toEqual({ signed: true, unsigned: true })
  await book(true, 5_000n)
  expect(await hasGas()).toEqual({ signed: true, unsigned: false })
  await book(false, 899n)
  expect(await hasGas()).toEqual({ signed: true, unsigned: false })
  await book(false, 1n)
  expect(await hasGas()).toEqual({ signed: false, unsigned: false })
})
