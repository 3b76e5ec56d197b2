import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startBitcoinNode, type RunningNode } from '../../local/bitcoin/start-bitcoin-node.ts'
import { guard } from '../../local/chains/accounts.ts'
import type { ChainConfig } from '../../server/chains/table.ts'
import { openChains } from '../../server/compose/open-chains.ts'
import { startNode, type Node } from '../campaign/node.ts'
import { until } from '../support/wait.ts'
import { testGuard } from '../support/wallets/test-guard.ts'
import { type NodeProxy, startNodeProxy } from './bitcoin/node-proxy.ts'
import { bitcoinConfig } from './bitcoin/support.ts'
import { signal, startTestChain, type TestChain } from './support.ts'

let evm: TestChain
let bitcoin: RunningNode
let nodes: Readonly<Record<number, Node | NodeProxy>>
let configs: readonly [ChainConfig, ChainConfig]
let stopping: AbortController
let lines: string[]

const open = (table: readonly ChainConfig[] = configs) =>
  openChains(table, {
    guard: testGuard(guard),
    log: pino({ level: 'info' }, { write: (line) => lines.push(line) }),
    signal: stopping.signal,
  })
/** Makes the node of one chain silent. The returned function ends it. */
function silence(chainId: number): () => number {
  const node = nodes[chainId]!
  return 'follow' in node ? node.become('silent') : node.become({ is: 'silent' })
}

beforeAll(async () => {
  const [startedEvm, startedBitcoin] = await Promise.all([startTestChain(), startBitcoinNode()])
  evm = startedEvm
  bitcoin = startedBitcoin
  const [base, btc] = [await startNode(evm.anvil.rpcUrl), await startNodeProxy(bitcoin.url)]
  const served = bitcoinConfig({ nodes: [{ rpc_url: btc.url }] })
  configs = [{ ...evm.config, rpcUrls: [base.url] }, served]
  nodes = { [evm.config.chainId]: base, [served.chainId]: btc }
})
afterAll(async () => {
  for (const node of Object.values(nodes)) await node.close()
  await Promise.all([evm.stop(), bitcoin.stop()])
})
beforeEach(() => {
  lines = []
  stopping = new AbortController()
  return () => stopping.abort()
})

test.each([
  ['an EVM chain', 0],
  ['Bitcoin', 1],
])(
  'behavior: %s whose node is silent at the start does not keep the other chain from starting, and follows when it answers',
  async (_, i) => {
    const endSilence = silence(configs[i]!.chainId)
    const chains = await open()
    const [late, other] = [chains[i]!, chains[1 - i]!]
    expect(await other.feeRate(signal)).toBeGreaterThan(0n)
    await expect(late.feeRate(signal)).rejects.toMatchObject({ code: 'chain_unavailable' })
    endSilence()
    expect(await until(() => late.feeRate(signal), { what: 'the late chain answers' })).toBeGreaterThan(0n)
    expect(lines.join('\n')).toContain('the chain is in use')
  },
)

test('error: a chain that is not the configured one stops the start', async () => {
  const [base, btc] = configs
  await expect(open([{ ...base, chainId: 10 } as ChainConfig, btc])).rejects.toMatchObject({ name: 'ChainMisconfigured' })
})

test('error: a chain that turns out not to be the configured one after the start is never used', async () => {
  const [base, btc] = configs
  const endSilence = silence(base.chainId)
  const [wrong, right] = await open([{ ...base, chainId: 10 } as ChainConfig, btc])
  endSilence()
  await until(() => lines.some((line) => line.includes('is not what the configuration says')), { what: 'the mistake is logged' })
  await expect(wrong!.feeRate(signal)).rejects.toMatchObject({ code: 'chain_unavailable' })
  expect(await right!.feeRate(signal)).toBeGreaterThan(0n)
})
