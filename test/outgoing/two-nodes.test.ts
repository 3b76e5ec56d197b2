import { encodeFunctionData, erc20Abi, type Address } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startAnvil, type Anvil } from '../../local/chains/anvil.ts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { unreachableForMs } from '../../server/chains/second-node.ts'
import { run, statesOf, type Reported } from '../contracts/payouts.ts'
import { operator, owner, signal, startTestChain, type TestChain } from '../chains/support.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { freePort } from '../support/service/free-port.ts'
import { until } from '../support/wait.ts'

/** Two real nodes. The second one is a fork of the first, so it agrees up to the block at which it was forked. */

const minute = 60_000
let chain: TestChain
let second: Anvil
let database: TestDatabase
let stop: (() => Promise<void>) | undefined
let count = 0

beforeAll(async () => {
  ;[chain, database] = await Promise.all([startTestChain({ mining: 'manual' }), createDatabase()])
  await chain.automine(true)
  await chain.sendToken(owner, 'USDT', operator.address, 1_000_000n)
  await chain.automine(false)
})
afterAll(() => Promise.all([chain?.stop(), database?.drop()]))
beforeEach(async () => {
  second = await startAnvil({ chainId: 8453 })
})
afterEach(async () => {
  await stop?.()
  await second.stop()
})

const headOf = async (anvil: Anvil) => Number((await anvil.ask(['eth_blockNumber']))[0])
/** The second node follows the first up to this block, and then mines blocks of its own. */
async function fork(block: number, own = 0) {
  await second.ask(['anvil_reset', { forking: { jsonRpcUrl: chain.anvil.rpcUrl, blockNumber: block } }])
  if (own > 0) await second.ask(['anvil_mine', `0x${own.toString(16)}`])
}

function start(more: { rpcUrls?: readonly string[]; requireSecondNode?: boolean } = {}) {
  const clock = { now: 0 }
  const answers: string[] = []
  const { payouts } = createEvmChain({ ...chain.config, rpcUrls: [chain.anvil.rpcUrl, second.rpcUrl], ...more })
  const running = run(payouts, {
    sql: database.sql,
    onSecondNode: ({ txHash }, answer) => answers.push(`${txHash} ${answer}`),
    clock: () => clock.now,
  })
  stop = running.stop
  return { payouts, clock, answers, reports: running.reports }
}

/** Sends a transfer and mines it to finality on the first node. */
async function sendFinal({ payouts, reports }: ReturnType<typeof start>) {
  const id = `two-nodes-${count++}`
  const to = chain.depositAddress(id)
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Address, 5n] })
  await payouts.enqueueCall(database.sql, {
    id,
    to: chain.token('USDT'),
    data,
    value: 0n,
    purpose: { kind: 'settlement', orderId: id, ref: '' },
  })
  await until(() => statesOf(reports, id).includes('broadcast'))
  await chain.mine(3)
  const mined = await until(() => reports.find((report) => report.id === id && report.outcome.state === 'mined')?.outcome)
  if (mined.state !== 'mined') throw new Error('not mined')
  return { id, txHash: mined.txHash }
}
const isConfirmed = (reports: readonly Reported[], id: string) => statesOf(reports, id).includes('confirmed')
/** Reads the first node's blocks a few more times, so that a confirmation that must not happen would have happened. */
const polls = () => until(() => new Promise((resolve) => setTimeout(resolve, 10 * chain.config.pollMs, true)))

test('default: nodes that agree confirm a send', async () => {
  const service = start()
  const { id, txHash } = await sendFinal(service)
  await fork(await headOf(chain.anvil))
  await until(() => isConfirmed(service.reports, id))
  expect(service.answers.at(-1)).toBe(`${txHash} agrees`)
})

test('behavior: a send waits while the second node is on another fork, and is confirmed once it is not', async () => {
  const service = start()
  await fork(await headOf(chain.anvil), 20)
  const { id, txHash } = await sendFinal(service)
  await until(() => service.answers.includes(`${txHash} differs`))
  service.clock.now += 100 * unreachableForMs
  await polls()
  expect(isConfirmed(service.reports, id)).toBe(false)
  await fork(await headOf(chain.anvil))
  await until(() => isConfirmed(service.reports, id))
  expect(service.answers).toEqual([`${txHash} differs`, `${txHash} agrees`])
})

test('behavior: a send waits for a second node that does not know its block yet', async () => {
  const service = start()
  await fork((await headOf(chain.anvil)) - 1)
  const { id, txHash } = await sendFinal(service)
  await until(() => service.answers.includes(`${txHash} behind`))
  await polls()
  expect(isConfirmed(service.reports, id)).toBe(false)
  await fork(await headOf(chain.anvil))
  await until(() => isConfirmed(service.reports, id))
})

test('behavior: a second node that does not answer counts as disagreeing for ten minutes, and then one node suffices', async () => {
  const service = start({ rpcUrls: [chain.anvil.rpcUrl, `http://127.0.0.1:${await freePort()}`] })
  const { id, txHash } = await sendFinal(service)
  await until(() => service.answers.includes(`${txHash} unreachable`))
  for (; service.clock.now < unreachableForMs - minute; service.clock.now += minute) await polls()
  expect(isConfirmed(service.reports, id)).toBe(false)
  service.clock.now = unreachableForMs
  await until(() => isConfirmed(service.reports, id))
  expect(service.answers).toEqual([`${txHash} unreachable`, `${txHash} skipped`])
})

test('behavior: a required second node is waited for', async () => {
  const port = await freePort()
  const service = start({ rpcUrls: [chain.anvil.rpcUrl, `http://127.0.0.1:${port}`], requireSecondNode: true })
  const { id, txHash } = await sendFinal(service)
  await until(() => service.answers.includes(`${txHash} unreachable`))
  // The last step is waited for too, so that the node is not asked again between its start and its fork.
  while (service.clock.now < 2 * unreachableForMs) {
    service.clock.now += 2 * minute
    await polls()
  }
  expect(isConfirmed(service.reports, id)).toBe(false)

  await second.stop()
  second = await startAnvil({ chainId: 8453, port })
  await fork(await headOf(chain.anvil))
  service.clock.now += minute
  await until(() => isConfirmed(service.reports, id))
  expect(service.answers).toEqual([`${txHash} unreachable`, `${txHash} agrees`])
})

test('behavior: a third node stands in for one that does not answer', async () => {
  const service = start({ rpcUrls: [`http://127.0.0.1:${await freePort()}`, chain.anvil.rpcUrl, second.rpcUrl] })
  const { id, txHash } = await sendFinal(service)
  await fork(await headOf(chain.anvil))
  await until(() => isConfirmed(service.reports, id))
  expect(service.answers.at(-1)).toBe(`${txHash} agrees`)
})

test('behavior: nodes with the same block and another outcome differ', async () => {
  await chain.automine(true)
  const txHash = await chain.sendToken(owner, 'USDT', operator.address, 1n)
  await chain.automine(false)
  await fork(await headOf(chain.anvil))
  const both = createEvmChain({ ...chain.config, rpcUrls: [chain.anvil.rpcUrl, second.rpcUrl] })
  const [found] = await chain.anvil.ask(['eth_getTransactionReceipt', txHash])
  const { blockNumber, blockHash, logs } = found as { blockNumber: string; blockHash: string; logs: Record<string, never>[] }
  const receipt = {
    txHash,
    block: Number(blockNumber),
    blockHash,
    ok: true,
    gasUsed: 1n,
    gasPrice: 1n,
    logs: logs.map(({ address, topics, data, logIndex }) => ({
      address: address!,
      topics: topics!,
      data: data!,
      logIndex: Number(logIndex),
    })),
  }
  const answer = async (change: object) => (await both.compareNodes!([{ ...receipt, ...change }], signal)).answers
  expect(await answer({})).toEqual(['agrees'])
  expect(await answer({ ok: false })).toEqual(['differs'])
  expect(await answer({ logs: [] })).toEqual(['differs'])
  expect(await answer({ blockHash: `0x${'ab'.repeat(32)}` })).toEqual(['differs'])
  expect(await answer({ block: receipt.block + 1000 })).toEqual(['behind'])
})
