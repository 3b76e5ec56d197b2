export interface FairQueueLimits {
  /** How many run at once, over all names. */
  readonly atOnce: number
  /** How many of one name run at once. */
  readonly perName: number
  /** How many of one name may wait. */
  readonly waiting: number
  /** The least time between two starts of one name, for those that had to wait. */
  readonly gapMs?: number
  /** While this returns true, a name that has just had a turn gets no other, for a second at most. */
  readonly isHeld?: () => boolean
}

export interface FairQueue {
  /** Runs `work` when it is its turn, and resolves to its result. Returns undefined at once when too many of this name are waiting. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> | undefined
}

interface Queue {
  running: number
  /** Waiting work is not started before this time. */
  readyAt: number
  readonly waiting: (() => void)[]
  timer: NodeJS.Timeout | undefined
}

const longestHoldMs = 1_000

/** Schedules work round-robin by name: however much waits under one name, another name's first item is next. */
export function fairQueue({ atOnce, perName, waiting, gapMs = 0, isHeld = () => false }: FairQueueLimits): FairQueue {
  /** By name, in the order of their turns. */
  const queues = new Map<string, Queue>()
  let running = 0

  const mustWait = ({ readyAt }: Queue): boolean => {
    const now = performance.now()
    return readyAt > now || (readyAt > now - longestHoldMs && isHeld())
  }

  /** Starts what may run. Whatever blocks a queue must call this again when it ends: its own work, another's, or its timer. */
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
    // A name that had a turn goes to the back.
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
