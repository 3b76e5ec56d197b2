import { pause } from '../../server/lib/pause.ts'

interface Miner {
  mine(): Promise<unknown>
}

/**
 * Mines blocks until the work is done, because the service's transactions need them too. The last block is there when this returns: one that came
 * later could have the next payment of the test in it.
 */
export async function mineDuring<T>(chain: Miner, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const mined = (async () => {
    while (!over.signal.aborted) await Promise.all([chain.mine().catch(() => undefined), pause(60)])
  })()
  return work.finally(() => {
    over.abort()
    return mined
  })
}
