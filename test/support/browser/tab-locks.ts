/** The Web Locks API of one tab, as far as the page uses it. */
export interface TabLocks {
  request(
    name: string,
    options: { readonly ifAvailable?: boolean; readonly signal?: AbortSignal },
    use: (lock: object | null) => Promise<void> | void,
  ): Promise<void>
  /** The browser releases what a closed tab had, and forgets what it waited for. */
  close(): void
}

interface Waiting {
  readonly tab: object
  readonly take: () => void
}

/** A browser that has locks, for environments without them. Each call opens a tab. */
export function createLocks(): () => TabLocks {
  const holders = new Map<string, object>()
  const queues = new Map<string, Waiting[]>()
  const release = (name: string, tab: object) => {
    if (holders.get(name) !== tab) return
    holders.delete(name)
    queues.get(name)?.shift()?.take()
  }
  return () => {
    const tab = { isClosed: false }
    const hold = async (name: string, use: (lock: object | null) => Promise<void> | void) => {
      holders.set(name, tab)
      await use({ name })
      release(name, tab)
    }
    return {
      async request(name, { ifAvailable, signal }, use) {
        if (tab.isClosed) return new Promise(() => {})
        if (!holders.has(name)) return hold(name, use)
        if (ifAvailable) return use(null)
        const queue = queues.get(name) ?? []
        queues.set(name, queue)
        await new Promise<void>((resolve, reject) => {
          const waiting = { tab, take: () => resolve(hold(name, use)) }
          queue.push(waiting)
          signal?.addEventListener('abort', () => {
            if (!queue.includes(waiting)) return
            queue.splice(queue.indexOf(waiting), 1)
            reject(signal.reason as Error)
          })
        })
      },
      close: () => {
        tab.isClosed = true
        for (const [name, queue] of queues)
          queues.set(
            name,
            queue.filter((waiting) => waiting.tab !== tab),
          )
        for (const [name, holder] of holders) if (holder === tab) release(name, tab)
      },
    }
  }
}
