import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { BitcoinRpc } from '../../local/bitcoin/bitcoin-rpc.ts'
import { createMutex, type Mutex } from '../../local/chains/mutex.ts'
import { keyHashAccount } from '../support/wallets/bitcoin-wallet.ts'

/** How often blocks are mined, and how many at a time. */
export interface Pace {
  readonly everyMs: number
  readonly blocks: number
}

/** Mines while there is work, and decides what blocks contain. */
export interface BitcoinMiner {
  /** The miner waits while a caller's callback runs in it. */
  readonly turns: Mutex
  /** Counts the blocks that have been made. */
  mined(): number
  /** Mines at another pace until the returned function is called, which says how many blocks were mined at it. */
  keepPace(pace: Pace): () => number
  /** Leaves out what pays less than this rate (in satoshis for a virtual byte), until the returned function is called, which counts what it met. */
  demand(leastRate: number): () => number
  /** Blocks leave this transaction out until the returned function is called. */
  withhold(txid: string): () => void
  /** For callers inside `turns`: makes one block of these transactions, named by their hash or given whole, and of nothing else. */
  mineOnly(transactions: readonly string[]): Promise<void>
  /** For callers inside `turns`: replaces the last blocks by a longer branch, whose first block has these transactions and whose others are empty. */
  replaceBlocks(depth: number, transactions?: readonly string[]): Promise<void>
  stop(): Promise<void>
}

const usual: Pace = { everyMs: 250, blocks: 1 }
/** This many blocks follow once nothing waits any more, so that everything gets its confirmations. */
const tail = 8
/** Without work, blocks still come, but at a tenth of the pace. */
const idleTicks = 10
const mostFailures = 200

const Waiting = z.record(
  z.string(),
  z.object({ vsize: z.number(), ancestorcount: z.number(), depends: z.array(z.string()), fees: z.object({ base: z.number() }) }),
)
const Mined = z.object({ hash: z.string() })

export interface MinerOptions {
  /** The miner asks before each of its blocks, and waits while the answer is no. */
  readonly mayMine?: () => Promise<boolean>
}

export function startBitcoinMiner(rpc: BitcoinRpc, { mayMine = async () => true }: MinerOptions = {}): BitcoinMiner {
  const turns = createMutex()
  const stopping = new AbortController()
  const withheld = new Set<string>()
  const tooCheap = new Set<string>()
  let pace = usual
  let leastRate = 0
  let mined = 0
  let busy = tail
  let idle = 0

  // Another address in each block gives it another hash than the one that it replaces.
  const mineOnly = async (transactions: readonly string[]) => {
    await rpc.call('generateblock', [keyHashAccount(`miner ${mined++}`).address, transactions], Mined)
  }
  /** Lists what the next block includes, parents before their children. */
  const chosen = (waiting: z.output<typeof Waiting>): readonly string[] => {
    const left = new Set<string>()
    const sorted = Object.entries(waiting).toSorted(([, a], [, b]) => a.ancestorcount - b.ancestorcount)
    for (const [txid, { vsize, depends, fees }] of sorted) {
      const isTooCheap = (fees.base * 1e8) / vsize < leastRate
      if (isTooCheap) tooCheap.add(txid)
      if (isTooCheap || withheld.has(txid) || depends.some((parent) => left.has(parent))) left.add(txid)
    }
    return sorted.map(([txid]) => txid).filter((txid) => !left.has(txid))
  }
  const tick = async () => {
    if (!(await mayMine())) return
    const waiting = await rpc.call('getrawmempool', [true], Waiting)
    busy = Object.keys(waiting).length > 0 ? tail : busy - 1
    if (busy <= 0 && ++idle % idleTicks !== 0) return
    await mineOnly(chosen(waiting))
    for (let block = 1; block < pace.blocks; block++) await mineOnly([])
  }
  const run = async () => {
    let failures = 0
    while (!stopping.signal.aborted) {
      try {
        await turns(tick)
        failures = 0
      } catch (error) {
        // A node that was killed meanwhile has forgotten what was chosen, and one that is busy may drop a connection.
        if (++failures > mostFailures) throw error
      }
      await sleep(pace.everyMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const ended = run()
  ended.catch(() => {
    // The caller of `stop` gets the reason, and until then a chain without blocks shows it.
  })

  return {
    turns,
    mined: () => mined,
    keepPace(next) {
      pace = next
      const before = mined
      return () => {
        pace = usual
        return mined - before
      }
    },
    demand(rate) {
      tooCheap.clear()
      leastRate = rate
      return () => {
        leastRate = 0
        return tooCheap.size
      }
    },
    withhold(txid) {
      withheld.add(txid)
      return () => void withheld.delete(txid)
    },
    mineOnly,
    async replaceBlocks(depth, transactions = []) {
      const height = await rpc.call('getblockcount', [], z.number())
      const first = await rpc.call('getblockhash', [height - depth + 1], z.string())
      await rpc.call('invalidateblock', [first], z.null())
      await mineOnly(transactions)
      for (let block = 0; block < depth; block++) await mineOnly([])
      busy = tail
    },
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
