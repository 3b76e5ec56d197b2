export interface FairQueueLimits {
  /** At most this many tasks run at once, over all names. */
  readonly atOnce: number
  readonly perName: number
  /** At most this many tasks of one name wait, and further ones are refused. */
  readonly waiting: number
  /** Work that had to wait starts at least this long after the previous start of its name. */
  readonly gapMs?: number
  /** While this returns true, waiting work of a name that has just started some does not start, for a second at most. */
  readonly isHeld?: () => boolean
}

export interface FairQueue {
  /** Runs `work` as soon as the limits allow, and resolves to its result. Returns undefined at once if too many of this name wait. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> | undefined
}

interface Queue {
  running: number
  readyAt: number
  readonly waiting: (() => void)[]
  timer: NodeJS.Timeout | undefined
}

const longestHoldMs = 1_000

/** Schedules work round-robin by name, so that another name's first item does not wait for a whole backlog. */
export function fairQueue({ atOnce, perName, waiting, gapMs = 0, isHeld = () => false }: FairQueueLimits): FairQueue {
  /** Waiting work starts in the order of this map, by name. */
  const queues = new Map<string, Queue>()
  let running = 0

  const mustWait = ({ readyAt }: Queue): boolean => {
    const now = performance.now()
    return readyAt > now || (readyAt > now - longestHoldMs && isHeld())
  }

  /** Starts waiting work that may run. It must be called again whenever work ends or a timer fires, since either may unblock a queue. */
  const startWaiting = (): void => {
    for (const queue of queues.values()) {
      if (running >= atOnce) return
      if (queue.waiting.length === 0 || queue.running >= perName) continue
      if (mustWait(queue)) startLater(queue)
      else queue.waiting.shift()?.()
    }
  }

  const startLater = (queue: Queue): void => {
    queue.timer ??= setTimeout(
      () => {
        queue.timer = undefined
        startWaiting()
      },
      // Timers may fire a fraction of a millisecond early.
      gapMs + 1,
    ).unref()
  }

  const start = async <T>(name: string, queue: Queue, work: () => Promise<T>): Promise<T> => {
    running++
    queue.running++
    queue.readyAt = performance.now() + gapMs
    // A name that has just started work goes to the back.
    queues.delete(name)
    queues.set(name, queue)
    try {
      return await work()
    } finally {
      running--
      queue.running--
      if (queue.running === 0 && queue.waiting.length === 0) queues.delete(name)
      startWaiting()
    }
  }

  return {
    run(name, work) {
      const queue = queues.get(name) ?? { running: 0, readyAt: 0, waiting: [], timer: undefined }
      queues.set(name, queue)
      if (queue.waiting.length === 0 && running < atOnce && queue.running < perName) return start(name, queue, work)
      if (queue.waiting.length >= waiting) return undefined
      return new Promise((resolve) => queue.waiting.push(() => resolve(start(name, queue, work))))
    },
  }
}
