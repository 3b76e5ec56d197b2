import type { Emit } from './events.ts'

/** What every part of the script shares. */
export interface Context {
  /** {pay_url} without a trailing slash. */
  readonly payUrl: string
  /** Emits to the listeners on `Till` itself. */
  readonly emit: Emit
  /** Counts a message that is not in the protocol. */
  readonly drop: () => void
}

export const orderUrl = ({ payUrl }: Context, at: 'pay' | 'frame' | 'popup', id: string): string =>
  `${payUrl}/${at}/${encodeURIComponent(id)}`

/** Sends the whole tab to the page, even from inside a frame. */
export const leave = (context: Context, id: string): void => void window.open(orderUrl(context, 'pay', id), '_top')
