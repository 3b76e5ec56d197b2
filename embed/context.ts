import type { Emit } from './events.ts'
import type { createButton } from './create-button.ts'
import type { createIcon } from './icon.ts'
import type { adopt, spin, tokens } from './style.ts'

/** The parts of the script get these as an argument, so that the second file imports nothing from till.js. */
export interface Context {
  /** This is the service's {pay_url}, without a trailing slash. */
  readonly payUrl: string
  /** Emits an event to the listeners on `Till` itself, which get the events of all sessions. */
  readonly emit: Emit
  /** Counts a message that is not in the protocol or comes from a wrong origin. */
  readonly drop: () => void
  readonly createIcon: typeof createIcon
  readonly button: typeof createButton
  readonly adopt: typeof adopt
  readonly spin: typeof spin
  readonly tokens: typeof tokens
}
