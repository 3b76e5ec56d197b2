import { signal, type Signal } from '@preact/signals'

/** lost: neither socket nor calls get through. */
export type Line = { readonly at: 'live' } | { readonly at: 'lost'; readonly since: number }

export const createLine = (): Signal<Line> => signal({ at: 'live' })
