/** One at a time, in the order of asking: whoever makes blocks by hand keeps the miner waiting until it is done. */
export type Mutex = <T>(run: () => Promise<T>) => Promise<T>

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (run) => {
    const mine = last.then(run)
    last = mine.catch(() => undefined)
    return mine
  }
}
