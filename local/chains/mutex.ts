/** Runs callbacks one at a time, in order. While a caller makes blocks by hand, the miner waits. */
export type Mutex = <T>(run: () => Promise<T>) => Promise<T>

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (run) => {
    const mine = last.then(run)
    last = mine.catch(() => undefined)
    return mine
  }
}
