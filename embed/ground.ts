import type { Emit } from './events.ts'
import type * as Frames from './frames.ts'

/** Every part of the script gets these as an argument, so that the second file imports nothing from till.js. */
export interface Ground {
  /** This is the service's {pay_url}, without a trailing slash. */
  readonly payUrl: string
  /** Emits an event to the listeners on `Till` itself, which get the events of all sessions. */
  readonly emit: Emit
  /** Counts a message that is not in the protocol. */
  readonly drop: () => void
  /** Loads the code for frames once. After a failure the next call tries again. */
  readonly frames: () => Promise<typeof Frames>
}

export const orderUrl = ({ payUrl }: Ground, at: 'pay' | 'frame' | 'popup', id: string): string =>
  `${payUrl}/${at}/${encodeURIComponent(id)}`

/** Sends the whole tab to the page, even if the merchant's page is itself in a frame. */
export const leave = (ground: Ground, id: string): void => void window.open(orderUrl(ground, 'pay', id), '_top')
