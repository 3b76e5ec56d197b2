import type { Told } from './play-event.ts'

/** One scenario on one order, from its first line to its last: for whoever listens from the start and for whoever comes later. */
export interface Play {
  readonly name: string
  /** All that was said so far. */
  readonly told: readonly Told[]
  /** From the first line on; ends with the play, or with the listener. */
  follow(signal: AbortSignal): AsyncGenerator<Told>
}

export interface OpenPlay extends Play {
  tell(told: Told): void
}

export function isOver({ told }: Play): boolean {
  const last = told.at(-1)?.at
  return last === 'reached' || last === 'failed'
}

export function openPlay(name: string): OpenPlay {
  const told: Told[] = []
  const waiting = new Set<() => void>()
  const play: OpenPlay = {
    name,
    told,
    tell(line) {
      told.push(line)
      for (const wake of waiting) wake()
    },
    async *follow(signal) {
      let next = 0
      while (!signal.aborted) {
        const line = told[next]
        if (line) {
          next++
          yield line
        } else if (isOver(play)) return
        else await newsOr(signal)
      }
    },
  }
  const newsOr = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = () => {
        waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  return play
}
