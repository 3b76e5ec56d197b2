export interface FairQueueLimits {
  /** How many work at once. */
  readonly atOnce: number
  /** How many of one name work at once. */
  readonly perName: number
  /** How many of one name may wait. */
  readonly waiting: number
  /** Between two starts of one name. */
  readonly gapMs?: number
  /** While this is true a name that has had a turn just now gets no other, for a second at most. */
  readonly isHeld?: () => boolean
}

export interface FairQueue {
  /** What `work` resolves to, when its turn has come; undefined at once when too many of this name wait already. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> | undefined
}

interface Line {
  running: number
  /** Its next start is not before; 0: it has had none lately. */
  readyAt: number
  readonly waiting: (() => void)[]
}

const longestHoldMs = 1_000

/** Takes turns between names: however many wait under one name, another name's first is next. */
export const fairQueue = ({ atOnce, perName, waiting, gapMs = 0, isHeld = () => false }: FairQueueLimits): FairQueue => {
  /** In the order of their turns. */
  const lines = new Map<string, Line>()
  let running = 0

  const mustWait = ({ readyAt }: Line): boolean => {
    const now = performance.now()
    return readyAt > now || (readyAt > now - longestHoldMs && isHeld())
  }
  const isFree = (line: Line): boolean => running < atOnce && line.running < perName && !mustWait(line)

  const startNext = (): void => {
    for (const line of lines.values()) {
      if (line.waiting.length === 0 || !isFree(line)) continue
      line.waiting.shift()?.()
      return
    }
  }

  const look = (name: string, line: Line): void => {
    if (line.running === 0 && line.waiting.length === 0 && line.readyAt <= performance.now()) lines.delete(name)
    else if (line.waiting.length > 0 && mustWait(line)) lookAgain(name, line)
    startNext()
  }
  /** A timer may be early by a part of a millisecond. */
  const lookAgain = (name: string, line: Line): void => void setTimeout(() => look(name, line), gapMs + 1).unref()

  const start = async <T>(name: string, line: Line, work: () => Promise<T>): Promise<T> => {
    running++
    line.running++
    // Whoever has had a turn goes behind the others.
    lines.delete(name)
    lines.set(name, line)
    if (gapMs > 0) {
      line.readyAt = performance.now() + gapMs
      lookAgain(name, line)
    }
    try {
      return await work()
    } finally {
      running--
      line.running--
      if (line.running === 0 && line.waiting.length === 0 && !mustWait(line)) lines.delete(name)
      startNext()
    }
  }

  return {
    run(name, work) {
      const line = lines.get(name) ?? { running: 0, readyAt: 0, waiting: [] }
      lines.set(name, line)
      if (line.waiting.length === 0 && isFree(line)) return start(name, line, work)
      if (line.waiting.length >= waiting) return undefined
      return new Promise((resolve) => line.waiting.push(() => resolve(start(name, line, work))))
    },
  }
}
