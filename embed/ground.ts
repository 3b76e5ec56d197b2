import type { Emit } from './events.ts'
import type * as Frames from './frames.ts'

/** What every part of the script shares. */
export interface Ground {
  /** {pay_url} without a trailing slash. */
  readonly payUrl: string
  /** Tells the listeners on `Till` itself. */
  readonly emit: Emit
  /** Counts a message that is not in the protocol. */
  readonly drop: () => void
  /** Loads the code for frames once; after a failure, the next call tries again. */
  readonly frames: () => Promise<typeof Frames>
}

export const orderUrl = ({ payUrl }: Ground, at: 'pay' | 'frame' | 'popup', id: string): string =>
  `${payUrl}/${at}/${encodeURIComponent(id)}`

/** Sends the whole tab to the page, even from inside a frame. */
export const leave = (ground: Ground, id: string): void => void window.open(orderUrl(ground, 'pay', id), '_top')
