import * as z from 'zod/mini'

/** A play keeps all its events, so that those who follow it later see them from the start too. */
export interface Play {
  readonly name: string
  readonly events: readonly PlayEvent[]
  follow(signal: AbortSignal): AsyncGenerator<PlayEvent>
}

export interface OpenPlay extends Play {
  emit(event: PlayEvent): void
}

export function isOver({ events }: Play): boolean {
  const last = events.at(-1)?.at
  return last === 'reached' || last === 'failed'
}

export function openPlay(name: string): OpenPlay {
  const events: PlayEvent[] = []
  const waiting = new Set<() => void>()
  const play: OpenPlay = {
    name,
    events,
    emit(event) {
      events.push(event)
      for (const wake of waiting) wake()
    },
    async *follow(signal) {
      let next = 0
      while (!signal.aborted) {
        const event = events[next]
        if (event) {
          next++
          yield event
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

/** Each event of a play is sent as one line of JSON. The last one is `reached` or `failed`. */
export const PlayEvent = z.discriminatedUnion('at', [
  z.object({ at: z.literal('order'), id: z.string(), url: z.string() }),
  z.object({ at: z.literal('step'), text: z.string() }),
  z.object({ at: z.literal('reached'), text: z.string() }),
  z.object({ at: z.literal('failed'), text: z.string() }),
])
export type PlayEvent = z.infer<typeof PlayEvent>
