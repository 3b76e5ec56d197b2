import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Mutex } from '../chains/mutex.ts'
import type { BitcoinRpc } from './bitcoin-rpc.ts'
import type { Faucet } from './faucet.ts'

/** This many blocks follow once nothing waits any more, so that everything gets its confirmations. */
const tail = 6
/** An idle chain mines one block in this many ticks, because each block is kept in memory and read at the next start. */
const idleTicks = 600

const Pool = z.object({ size: z.number() })

export interface MinerOptions {
  readonly rpc: BitcoinRpc
  readonly faucet: Faucet
  readonly blockMs: number
  readonly mutex: Mutex
  readonly signal: AbortSignal
}

/** Mines a block every `blockMs` while a transaction waits or was mined a moment ago, and rarely when idle. Rejects when the node fails. */
export async function mineBlocks({ rpc, faucet, blockMs, mutex, signal }: MinerOptions): Promise<void> {
  let busy = tail
  let idle = 0
  while (!signal.aborted) {
    const { size } = await rpc.call('getmempoolinfo', [], Pool)
    busy = size > 0 ? tail : busy - 1
    idle = busy > 0 ? 0 : idle + 1
    if (busy > 0 || idle % idleTicks === 0) await mutex(() => faucet.mine(1))
    // Transactions should be seen waiting for a while, as on a public chain, so a new one is not mined at once.
    await sleep(blockMs, undefined, { signal }).catch(() => undefined)
  }
}
