import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Anvil } from './anvil.ts'
import type { Mutex } from './mutex.ts'

const Pool = z.object({ pending: z.string() })

/** This many blocks are mined once a transaction is pending, so that it gets its confirmations and every watcher its next block. */
const tail = 20
/** An idle chain mines one block in this many ticks, since a block every second would make the saved state huge. */
const idleTicks = 15

/** Mines soon after a transaction, every `seconds` while there is one to confirm, and rarely when idle. `mined` runs after each block. */
export async function mine(
  anvil: Anvil,
  { seconds, mutex, signal, mined }: { seconds: number; mutex: Mutex; signal: AbortSignal; mined: (busy: boolean) => Promise<void> },
): Promise<void> {
  let busy = tail
  let idle = 0
  while (!signal.aborted) {
    const [pool] = await anvil.ask(['txpool_status'])
    busy = Number(Pool.parse(pool).pending) > 0 ? tail : busy - 1
    if (busy > 0 || ++idle >= idleTicks) {
      await mutex(() => anvil.ask(['evm_mine']))
      await mined(busy > 0)
      idle = 0
    }
    await quiet(anvil, seconds * 1000, signal)
  }
}

const lookMs = 150

/** Waits for the block time, or less if a transaction is pending before. */
async function quiet(anvil: Anvil, ms: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + ms
  while (!signal.aborted && performance.now() < until) {
    await sleep(Math.min(lookMs, ms), undefined, { signal }).catch(() => undefined)
    const [pool] = await anvil.ask(['txpool_status'])
    if (Number(Pool.parse(pool).pending) > 0) return
  }
}
