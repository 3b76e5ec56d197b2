import { signal, type ReadonlySignal } from '@preact/signals'

export type ConnectionState =
  | { readonly at: 'live' }
  /** Neither the socket nor requests reach the service. */
  | { readonly at: 'lost'; readonly since: number }
  /** The piece that talks to the service (live.ts) could not be fetched. */
  | { readonly at: 'absent'; readonly since: number }

export interface Connection {
  readonly state: ReadonlySignal<ConnectionState>
  lose(since: number): void
  regain(): void
  /** Browsers do not retry a failed module, so only reloading the page can reconnect. */
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
      state.value = { at: 'live' }
    },
    giveUp: (since) => {
      state.value = { at: 'absent', since }
    },
  }
}
