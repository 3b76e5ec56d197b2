import type { Emit } from './events.ts'
import type * as Frames from './frames.ts'

/** What every part of the script shares: where our page is, who hears everything, and what was thrown away. */
export interface Ground {
  /** {pay_url}, without a slash at its end. */
  readonly payUrl: string
  /** Till's own listeners. */
  readonly emit: Emit
  /** Counts a message that is not in the protocol. */
  readonly drop: () => void
  /** What frames need, fetched once; asked for again after a failure. */
  readonly frames: () => Promise<typeof Frames>
}

export const orderUrl = ({ payUrl }: Ground, at: 'pay' | 'frame' | 'popup', id: string): string =>
  `${payUrl}/${at}/${encodeURIComponent(id)}`

/** The whole tab, also out of a frame. */
export const leave = (ground: Ground, id: string): void => void window.open(orderUrl(ground, 'pay', id), '_top')
