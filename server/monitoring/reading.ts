/** How long a scrape waits for a read at most. Prometheus waits for ten seconds by default. */
const readingTimeoutMs = 2_000
const cacheForMs = 1_000

/** A read that several gauges show. */
export interface Reading<T> {
  readonly name: string
  /** The chain that it is about, if it is about one. */
  readonly chain?: string
  /** Resolves to undefined if it fails, and always in time. */
  read(): Promise<T | undefined>
  /** What the read that ended last has resolved to. It does not change while one scrape is written, so that its gauges agree. */
  latest(): T | undefined
}

export interface ReadingParts<T> {
  readonly name: string
  readonly chain?: string
  readonly work: (signal: AbortSignal) => Promise<T>
  readonly clock: () => number
  /** Called when the read begins to fail, and not again until it has succeeded. */
  readonly onFailure: (reading: { readonly name: string; readonly chain?: string }, error: unknown) => void
  readonly timeoutMs?: number
}

/**
 * Reads anew at most once a second, however many gauges and scrapes ask, and never again while an earlier read has not ended. So a database or
 * a node that does not answer has at most one unanswered read of each kind, and costs a scrape the figures of that read alone.
 */
export function reading<T>({ name, chain, work, clock, onFailure, timeoutMs = readingTimeoutMs }: ReadingParts<T>): Reading<T> {
  let isRunning = false
  let isFailing = false
  let cached: { readonly result: Promise<T | undefined>; readonly until: number } | undefined
  let latest: T | undefined
  const start = async (signal: AbortSignal): Promise<T> => {
    if (isRunning) throw new Error('An earlier read has not ended.')
    isRunning = true
    try {
      return await work(signal)
    } finally {
      isRunning = false
    }
  }
  const attempt = async (): Promise<T | undefined> => {
    const deadline = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new Error(`There was no answer within ${timeoutMs} ms.`)
        deadline.abort(error)
        reject(error)
      }, timeoutMs)
    })
    try {
      latest = await Promise.race([start(deadline.signal), late])
      isFailing = false
    } catch (error) {
      if (!isFailing) onFailure({ name, chain }, error)
      isFailing = true
      latest = undefined
    } finally {
      clearTimeout(timer)
    }
    return latest
  }
  return {
    name,
    chain,
    read() {
      if (!cached || cached.until <= clock()) cached = { result: attempt(), until: clock() + cacheForMs }
      return cached.result
    },
    latest: () => latest,
  }
}
