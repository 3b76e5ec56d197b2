import * as z from 'zod/mini'

/** One scenario on one order, from its first line to its last: for whoever listens from the start and for whoever comes later. */
export interface Play {
  readonly name: string
  /** All that was said so far. */
  readonly told: readonly PlayEvent[]
  /** From the first line on; ends with the play, or with the listener. */
  follow(signal: AbortSignal): AsyncGenerator<PlayEvent>
}

export interface OpenPlay extends Play {
  emit(told: PlayEvent): void
}

export function isOver({ told }: Play): boolean {
  const last = told.at(-1)?.at
  return last === 'reached' || last === 'failed'
}

export function openPlay(name: string): OpenPlay {
  const told: PlayEvent[] = []
  const waiting = new Set<() => void>()
  const play: OpenPlay = {
    name,
    told,
    emit(line) {
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
        else await nextEventOr(signal)
      }
    },
  }
  const nextEventOr = (signal: AbortSignal): Promise<void> =>
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

/** What whoever watches a play hears, one line of JSON each. The last is `reached` or `failed`. */
export const PlayEvent = z.discriminatedUnion('at', [
  z.object({ at: z.literal('order'), id: z.string(), url: z.string() }),
  z.object({ at: z.literal('step'), text: z.string() }),
  z.object({ at: z.literal('reached'), text: z.string() }),
  z.object({ at: z.literal('failed'), text: z.string() }),
])
export type PlayEvent = z.infer<typeof PlayEvent>
