export interface FairQueueLimits {
  /** How many work at once. */
  readonly atOnce: number
  /** How many of one name work at once. */
  readonly perName: number
  /** How many of one name may wait. */
  readonly waiting: number
}

export interface FairQueue {
  /** What `work` resolves to, when its turn has come; undefined at once when too many of this name wait already. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> | undefined
}

interface Line {
  running: number
  readonly waiting: (() => void)[]
}

/** Takes turns between names: however many wait under one name, another name's first is next. */
export const fairQueue = ({ atOnce, perName, waiting }: FairQueueLimits): FairQueue => {
  /** In the order of their turns. */
  const lines = new Map<string, Line>()
  let running = 0

  const startNext = (): void => {
    if (running >= atOnce) return
    for (const line of lines.values()) {
      if (line.waiting.length === 0 || line.running >= perName) continue
      line.waiting.shift()?.()
      return
    }
  }

  const start = async <T>(name: string, line: Line, work: () => Promise<T>): Promise<T> => {
    running++
    line.running++
    // Whoever has had a turn goes behind the others.
    lines.delete(name)
    lines.set(name, line)
    try {
      return await work()
    } finally {
      running--
      line.running--
      if (line.running === 0 && line.waiting.length === 0) lines.delete(name)
      startNext()
    }
  }

  return {
    run(name, work) {
      const line = lines.get(name) ?? { running: 0, waiting: [] }
      lines.set(name, line)
      if (running < atOnce && line.running < perName) return start(name, line, work)
      if (line.waiting.length >= waiting) return undefined
      return new Promise((resolve) => line.waiting.push(() => resolve(start(name, line, work))))
    },
  }
}
