import type { Emit } from './events.ts'

/** The parts of the script get these as an argument, so that the second file imports nothing from till.js. */
export interface Context {
  /** This is the service's {pay_url}, without a trailing slash. */
  readonly payUrl: string
  /** Emits an event to the listeners on `Till` itself, which get the events of all sessions. */
  readonly emit: Emit
  /** Counts a message that is not in the protocol or comes from a wrong origin. */
  readonly drop: () => void
}

export const orderUrl = ({ payUrl }: Context, at: 'pay' | 'frame' | 'popup', id: string): string =>
  `${payUrl}/${at}/${encodeURIComponent(id)}`

/** Sends the whole tab to the page, even if the merchant's page is itself in a frame. */
export const redirectToPage = (context: Context, id: string): void => void window.open(orderUrl(context, 'pay', id), '_top')
