import { parseUnits } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import { startAnvil, type Anvil } from '../../local/chains/anvil.ts'
import { checkout, expectBooks, untilStatus } from '../support/orders/payments.ts'
import { freePort } from '../support/service/free-port.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** An order on a chain with two nodes, of which the second is on a fork of its own. */

let stage: Stage
let process: Process
let second: Anvil
let metricsPort: number
beforeAll(async () => {
  second = await startAnvil({ chainId: 8453 })
  stage = await startStage({ secondNode: second.rpcUrl })
  metricsPort = await freePort()
  process = await stage.start({ METRICS_PORT: String(metricsPort) })
})
afterAll(async () => {
  await stage?.close()
  await second?.stop()
})

async function counted(answer: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return Number(new RegExp(`^till_second_node_total\\{chain="8453",answer="${answer}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}
const head = async () => Number((await stage.base.anvil.ask(['eth_blockNumber']))[0])
const fork = (blockNumber: number) => second.ask(['anvil_reset', { forking: { jsonRpcUrl: stage.base.anvil.rpcUrl, blockNumber } }])

test('behavior: an order is COMPLETED only when a second node agrees, and the log and the metrics say why it waits', async () => {
  const merchant = await stage.merchant()
  const client = merchant.at(process)
  await fork((await head()) - 1)
  await second.ask(['anvil_mine', '0x200'])
  const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
  await stage.base.sendToken(payers[0]!, 'USDC', order.deposit, order.required)
  await until(async () => (await counted('differs')) > 0)
  const settledAt = await head()
  await until(async () => (await head()) > settledAt + 5 || (await stage.base.mine(), false))
  expect((await client.ask('getOrder', order.path)).status).toBe('EXECUTING_ORDER')
  expect(await counted('agrees')).toBe(0)
  expect(process.service.output()).toMatch(/"level":40,[^\n]*"chain":8453,"tx":"0x[0-9a-f]{64}","block":\d+[^\n]*two nodes disagree/)

  await fork(await head())
  await untilStatus(client, order.id, 'COMPLETED')
  expect(await counted('agrees')).toBe(1)
  const { base } = stage
  const [paid] = await base.chain.balances([merchant.recipient], base.token('USDC'), await head(), AbortSignal.timeout(60_000))
  expect(paid).toBe(parseUnits('20', 6))
  await expectBooks(stage, [order.id])
})
