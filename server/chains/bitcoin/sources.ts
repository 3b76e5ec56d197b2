import { ChainUnavailable } from '../chain.ts'
import { type CompareNodes, compareTwo, type MinedTransaction, type NodeAnswer } from '../second-node.ts'
import type { BitcoinConfig, BitcoinNodeConfig } from './bitcoin-config.ts'
import { bitcoindSource } from './bitcoind-source.ts'
import { esploraSource } from './esplora-source.ts'
import type { BitcoinSource } from './source.ts'

/** A mined transaction of ours, and the height of its block. */
export interface MinedAt extends MinedTransaction {
  readonly height: number
}

export interface BitcoinSources {
  /** Asks the first node. One that failed goes to the end, so the caller's next request goes to the next node. */
  readonly source: BitcoinSource
  /** It is absent with only one node. */
  readonly compareNodes?: CompareNodes<MinedAt>
}

export function bitcoinSources(config: Pick<BitcoinConfig, 'chainId' | 'network' | 'timeoutMs' | 'nodes'>): BitcoinSources {
  const open = (node: BitcoinNodeConfig) =>
    node.kind === 'bitcoind' ? bitcoindSource({ ...config, node }) : esploraSource({ ...config, node })
  const nodes = config.nodes.map(open)
  return {
    source: failingOver(config.chainId, nodes),
    ...(nodes.length > 1 && { compareNodes: compareNodes(config.chainId, nodes) }),
  }
}

function failingOver(chainId: number, nodes: readonly BitcoinSource[]): BitcoinSource {
  let inOrder = nodes
  const toTheEnd = (node: BitcoinSource) => void (inOrder = [...inOrder.filter((other) => other !== node), node])
  function first(): BitcoinSource {
    const [node] = inOrder
    if (!node) throw new Error(`chain ${chainId} has no nodes`)
    return node
  }

  async function ask<T>(question: (node: BitcoinSource) => Promise<T>): Promise<T> {
    const node = first()
    try {
      return await question(node)
    } catch (error) {
      if (error instanceof ChainUnavailable) toTheEnd(node)
      throw error
    }
  }

  return {
    get name() {
      return first().name
    },
    /** Every node is checked, and those that do not answer follow those that do. */
    async check(signal) {
      const unavailable: ChainUnavailable[] = []
      for (const node of [...inOrder]) {
        try {
          await node.check(signal)
        } catch (error) {
          if (!(error instanceof ChainUnavailable)) throw error
          toTheEnd(node)
          unavailable.push(error)
        }
      }
      if (unavailable.length === inOrder.length) throw unavailable[0]
    },
    head: (signal) => ask((node) => node.head(signal)),
    block: (height, signal) => ask((node) => node.block(height, signal)),
    rawBlock: (hash, signal) => ask((node) => node.rawBlock(hash, signal)),
    waiting: (signal) => ask((node) => node.waiting(signal)),
    transactions: (txids, signal) => ask((node) => node.transactions(txids, signal)),
    spenders: (outpoints, signal) => ask((node) => node.spenders(outpoints, signal)),
    find: (txid, signal) => ask((node) => node.find(txid, signal)),
    broadcast: (raw, signal) => ask((node) => node.broadcast(raw, signal)),
    feeRates: (signal) => ask((node) => node.feeRates(signal)),
    ...balanceOf(nodes),
  }
}

/** Only a node with an index of addresses knows balances. */
function balanceOf(nodes: readonly BitcoinSource[]): Pick<BitcoinSource, 'balance'> {
  const balance = nodes.find((node) => node.balance)?.balance
  return balance ? { balance } : {}
}

/** A block's hash commits to everything in it, so a node whose block at that height has the same hash agrees on all its transactions. */
export const compareNodes = (chainId: number, nodes: readonly BitcoinSource[]): CompareNodes<MinedAt> =>
  compareTwo(chainId, nodes, answersOf)

async function answersOf(node: BitcoinSource, transactions: readonly MinedAt[], signal: AbortSignal): Promise<NodeAnswer[]> {
  const hashes = new Map<number, string | undefined>()
  for (const { height } of transactions) if (!hashes.has(height)) hashes.set(height, (await node.block(height, signal))?.hash)
  return transactions.map(({ height, blockHash }) => {
    const hash = hashes.get(height)
    return hash === undefined ? 'behind' : hash === blockHash ? 'agrees' : 'differs'
  })
}
