import { signal, type ReadonlySignal } from '@preact/signals'

export type ConnectionState =
  | { readonly at: 'live' }
  /** Requests to the service fail, or the browser says that it is offline. */
  | { readonly at: 'lost'; readonly since: number }
  /** A module could not be fetched without which nobody can pay here (live.ts, check-order.tsx). */
  | { readonly at: 'absent'; readonly since: number }

export interface Connection {
  readonly state: ReadonlySignal<ConnectionState>
  lose(since: number): void
  regain(): void
  /** Some browsers do not retry a module that could not be fetched, so the page has to be reloaded. */
  giveUp(since: number): void
}

export const createConnection = (): Connection => {
  const state = signal<ConnectionState>({ at: 'live' })
  return {
    state,
    lose: (since) => {
      if (state.peek().at === 'live') state.value = { at: 'lost', since }
    },
    regain: () => {
      if (state.peek().at === 'lost') state.value = { at: 'live' }
    },
    giveUp: (since) => {
      state.value = { at: 'absent', since }
    },
  }
}
