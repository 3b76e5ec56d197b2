import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { BitcoinRpc } from '../../local/bitcoin/bitcoin-rpc.ts'
import { createMutex } from '../../local/chains/mutex.ts'
import { bitcoinEntry } from '../chains/bitcoin/support.ts'
import { type NodeProxy, startNodeProxy } from '../chains/bitcoin/node-proxy.ts'
import { killableBitcoinNode } from '../support/service/killable-bitcoin-node.ts'
import { type BitcoinMiner, startBitcoinMiner } from './bitcoin-miner.ts'
import { type BitcoinPayer, createBitcoinPayer } from './bitcoin-payer.ts'

/** A Bitcoin chain whose node is a process of its own, and the proxy through which the service reads it. */
export interface BitcoinChain {
  readonly proxy: NodeProxy
  /** Calls whichever node runs, and while none does, waits for the next one. */
  readonly rpc: BitcoinRpc
  readonly miner: BitcoinMiner
  readonly payer: BitcoinPayer
  readonly hostilePayer: BitcoinPayer
  /**
   * A block of Bitcoin comes every ten minutes, and here four come each second. A service on a busy machine would always be a few blocks behind, and
   * never see what waits. So from now on a block comes only once the service has read the last one.
   */
  waitForReader(readUpTo: () => Promise<number>): void
  /** Kills the node. The returned function starts it again on what it had written. */
  kill(): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Reorganisations of the campaign are shallower than the first of these numbers. */
const confirmations = [{ below: '0.0015', blocks: 4 }, { blocks: 6 }]

export const bitcoinChainEntry = ({ proxy }: BitcoinChain) => ({
  ...bitcoinEntry(),
  nodes: [{ rpc_url: proxy.url }],
  confirmations,
  block_seconds: 1,
  poll_ms: 30,
  timeout_ms: 1_500,
  replace_after_ms: 3_000,
})

const patienceMs = 60_000

export async function startBitcoinChain(folder: string): Promise<BitcoinChain> {
  const data = join(folder, 'bitcoin')
  let node = await killableBitcoinNode(data)
  const proxy = await startNodeProxy(node.url)
  const inTurn = createMutex()
  const rpc: BitcoinRpc = {
    async call(method, params, answer) {
      for (const began = performance.now(); ; await sleep(50)) {
        try {
          return await node.rpc.call(method, params, answer)
        } catch (error) {
          // The connection was refused or cut. Every call that is made here may be repeated.
          if (!(error instanceof TypeError) || performance.now() - began > patienceMs) throw error
        }
      }
    },
  }
  const payer = await createBitcoinPayer(rpc, 'honest', 1_000)
  const hostilePayer = await createBitcoinPayer(rpc, 'hostile', 100)
  let readUpTo = async () => Infinity
  const mayMine = async () => (await readUpTo()) >= (await rpc.call('getblockcount', [], z.number()))
  const miner = startBitcoinMiner(rpc, { mayMine })
  return {
    waitForReader: (reader) => void (readUpTo = reader),
    proxy,
    rpc,
    miner,
    payer,
    hostilePayer,
    kill: () =>
      inTurn(async () => {
        const killed = node
        await killed.kill()
        return () =>
          inTurn(async () => {
            // Two faults may have killed it, and only one start may happen.
            if (node !== killed) return
            node = await killableBitcoinNode(data)
            proxy.follow(node.url)
            await payer.remind()
            await hostilePayer.remind()
          })
      }),
    async close() {
      await miner.stop()
      await proxy.close()
      await node.stop()
    },
  }
}
