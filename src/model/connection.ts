import { signal, type ReadonlySignal } from '@preact/signals'

export type ConnectionState =
  | { readonly at: 'live' }
  /** Neither the socket nor calls get through. */
  | { readonly at: 'lost'; readonly since: number }
  /** The script that talks to the service could not be fetched. */
  | { readonly at: 'absent'; readonly since: number }

export interface Connection {
  readonly state: ReadonlySignal<ConnectionState>
  lose(since: number): void
  regain(): void
  /** Nothing on this page will reconnect: only a new page does. */
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
