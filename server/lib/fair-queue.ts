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

interface Line {
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
  const lines = new Map<string, Line>()
  let running = 0

  const mustWait = ({ readyAt }: Line): boolean => {
    const now = performance.now()
    return readyAt > now || (readyAt > now - longestHoldMs && isHeld())
  }

  /** Whatever keeps a line from its turn has to bring it back here: its own end, another's, or its timer. */
  const startWaiting = (): void => {
    for (const line of lines.values()) {
      if (running >= atOnce) return
      if (line.waiting.length === 0 || line.running >= perName) continue
      if (mustWait(line)) lookAgain(line)
      else line.waiting.shift()?.()
    }
  }

  const lookAgain = (line: Line): void => {
    line.timer ??= setTimeout(
      () => {
        line.timer = undefined
        startWaiting()
      },
      // A timer may be early by a part of a millisecond.
      gapMs + 1,
    ).unref()
  }

  const start = async <T>(name: string, line: Line, work: () => Promise<T>): Promise<T> => {
    running++
    line.running++
    line.readyAt = performance.now() + gapMs
    // Whoever has had a turn goes behind the others.
    lines.delete(name)
    lines.set(name, line)
    try {
      return await work()
    } finally {
      running--
      line.running--
      if (line.running === 0 && line.waiting.length === 0) lines.delete(name)
      startWaiting()
    }
  }

  return {
    run(name, work) {
      const line = lines.get(name) ?? { running: 0, readyAt: 0, waiting: [], timer: undefined }
      lines.set(name, line)
      if (line.waiting.length === 0 && running < atOnce && line.running < perName) return start(name, line, work)
      if (line.waiting.length >= waiting) return undefined
      return new Promise((resolve) => line.waiting.push(() => resolve(start(name, line, work))))
    },
  }
}
