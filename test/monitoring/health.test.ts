import { afterAll, beforeAll, expect, test } from 'vitest'
import { operator } from '../../local/chains/accounts.ts'
import { startWorld, type World } from '../incoming/x402/support.ts'
import { until } from '../support/wait.ts'

/** Health and metrics when the sending queue is stuck. */

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

async function readiness() {
  const response = await fetch(`${world.running.payUrl}/readyz`)
  return { status: response.status, body: (await response.json()) as { ready: boolean; degraded: boolean; checks: Record<string, object> } }
}
async function figure(name: string): Promise<number | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${world.running.metricsPort}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length))
}
const setCoin = (wei: bigint) => world.test.anvil.ask(['anvil_setBalance', operator.address, `0x${wei.toString(16)}`])

test('behavior: a send that waits for coin makes the chain degraded but leaves the service ready', async () => {
  expect(await readiness()).toMatchObject({
    status: 200,
    body: { ready: true, degraded: false, checks: { chain_8453: { ok: true, oldest_unsent_s: null, oldest_unsettled_s: null } } },
  })
  expect(await figure('till_send_oldest_seconds{chain="8453",state="unsent"}')).toBeUndefined()
  await until(async () => ((await figure('till_operator_settlements_left{chain="8453"}')) ?? 0) > 100)
  await until(async () => (await figure('till_chain_block{chain="8453"}')) !== undefined)

  await setCoin(1n)
  const order = await world.order()
  const { engine } = world.running
  const to = world.test.depositAddress('somewhere')
  await world.test.chain.payouts.enqueueCall(engine.sql, {
    id: 'waits-for-coin',
    to,
    data: '0x',
    value: 0n,
    purpose: { kind: 'x402_wallet', orderId: order.id, ref: '' },
  })
  await engine.sql`update sends set created_at = now() - interval '1 hour'`
  await until(async () => (await readiness()).body.degraded)
  expect(await readiness()).toMatchObject({
    status: 200,
    body: {
      ready: true,
      checks: { chain_8453: { ok: true, degraded: expect.stringMatching(/waiting for 36\d\d s/), oldest_unmined_s: null } },
    },
  })
  // Metrics are cached for a second.
  const age = await until(() => figure('till_send_oldest_seconds{chain="8453",state="unsent"}'))
  expect(age).toBeGreaterThanOrEqual(3600)
  await until(async () => (await figure('till_operator_settlements_left{chain="8453"}')) === 0)
  await until(async () => (await figure('till_operator_coin{chain="8453"}')) === 1e-18)

  await setCoin(10n ** 18n)
  await until(async () => {
    await world.test.mine()
    return !(await readiness()).body.degraded
  })
  await until(async () => ((await figure('till_operator_coin{chain="8453"}')) ?? 0) > 0.99)
})
