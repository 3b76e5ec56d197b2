import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkout } from '../support/orders/payments.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** How long an order takes follows from its chain's own blocks. The test mines them at a pace of its own. */

let stage: Stage
let process: Process
beforeAll(async () => {
  stage = await startStage({ mining: 'manual', confirmations: 3 })
  process = await stage.start()
})
afterAll(async () => {
  await stage?.close()
})

test('behavior: an order is estimated by the blocks that the service has read, and before that by what is known of the chain', async () => {
  const client = (await stage.merchant()).at(process)
  const estimate = async () => (await checkout(client, { amount: '20', fiat_unit: 'usd' })).payment.estimated_duration_seconds
  const estimated = (seconds: number) =>
    until(
      async () => {
        expect(await estimate()).toBe(seconds)
        return true
      },
      { every: 200 },
    )
  expect(await estimate()).toBe(12)
  // The service reads the blocks that follow the one at which it has begun, and it may be ready before that.
  await until(async () => (await stage.database.sql`select block from chain_cursors where chain_id = ${stage.base.chain.id}`).length > 0)
  await stage.base.anvil.ask(['anvil_mine', '0x100', '0x7'])
  // The node's clock goes on while it mines, so the blocks are at least 7 s apart and not exactly.
  const { signal } = new AbortController()
  const newest = await stage.base.chain.head(signal)
  const oldest = (await stage.base.chain.block(newest.number - 127, signal))!
  const pace = (newest.timestamp - oldest.timestamp) / 127
  expect(pace).toBeGreaterThanOrEqual(7)
  await estimated(Math.ceil(2 * 3 * pace))
  // A chain that stands still has no rhythm.
  await stage.base.anvil.ask(['anvil_mine', '0x40', '0xe10'])
  await estimated(12)
})
