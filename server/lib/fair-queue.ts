export interface FairQueueLimits {
  /** How many work at once. */
  readonly atOnce: number
  /** How many of one name work at once. */
  readonly perName: number
  /** How many of one name may wait. */
  readonly waiting: number
  /** Between a start of a name and that of the next that had to wait. */
  readonly gapMs?: number
  /** While this is true no other of a name that has just had a turn is taken from the queue, for a second at most. */
  readonly isHeld?: () => boolean
}

export interface FairQueue {
  /** What `work` resolves to, when its turn has come; undefined at once when too many of this name wait already. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> | undefined
}

interface Queue {
  running: number
  /** What waits is not started before. */
  readyAt: number
  readonly waiting: (() => void)[]
  timer: NodeJS.Timeout | undefined
}

const longestHoldMs = 1_000

/** Takes turns between names: however many wait under one name, another name's first is next. */
export function fairQueue({ atOnce, perName, waiting, gapMs = 0, isHeld = () => false }: FairQueueLimits): FairQueue {
  /** In the order of their turns. */
  const queues = new Map<string, Queue>()
  let running = 0

  const mustWait = ({ readyAt }: Queue): boolean => {
    const now = performance.now()
    return readyAt > now || (readyAt > now - longestHoldMs && isHeld())
  }

  /** Whatever keeps a line from its turn has to bring it back here: its own end, another's, or its timer. */
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
      // A timer may be early by a part of a millisecond.
      gapMs + 1,
    ).unref()
  }

  const start = async <T>(name: string, queue: Queue, work: () => Promise<T>): Promise<T> => {
    running++
    queue.running++
    queue.readyAt = performance.now() + gapMs
    // Whoever has had a turn goes behind the others.
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
