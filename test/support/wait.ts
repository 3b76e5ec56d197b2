import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Polls until the answer is truthy and returns it. A fact that throws counts as not true yet, so `expect` works inside, and the time-out
 * error contains the last result:
 *
 *     const order = await until(async () => (await get(id)).status === 'COMPLETED' && order)
 */
export async function until<T>(
  fact: () => T | Promise<T>,
  { timeout = 60_000, every = 50, what }: { timeout?: number; every?: number; what?: string } = {},
): Promise<NonNullable<T>> {
  const started = performance.now()
  let last: unknown
  for (;;) {
    try {
      const answer = await fact()
      if (answer) return answer
      last = answer
    } catch (error) {
      last = error
    }
    if (performance.now() - started > timeout) {
      const lastResult = last instanceof Error ? `it threw: ${last.message}` : `it said: ${JSON.stringify(last)}`
      throw new Error(`Not true after ${timeout} ms: ${what ?? fact.toString().slice(0, 300)}\n${lastResult}`, { cause: last })
    }
    await sleep(every)
  }
}
