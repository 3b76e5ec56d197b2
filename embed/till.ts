import type { Emitter, TillEvents } from './events.ts'
import type { Theme } from './protocol.ts'
import type { OpenOptions, OrderSource, Session } from './session.ts'

/** What the script puts at `window.Till`. */
export interface Till extends Emitter {
  /** In a modal, a popup or the whole tab. Call it inside the click. */
  open(options: OpenOptions): Session
  /** In the layout, inside `target`. */
  mount(target: Element, options: { order: OrderSource; theme?: Theme }): Session
  /** Loads what the next `open` needs; the button does it on hover. */
  prepare(): void
  /** Runs at once; before the script has loaded it is an array's own push, and runs then. */
  push(...runs: ((till: Till) => void)[]): void
  /** Messages that were not in the protocol. */
  readonly dropped: number
}

/** What stands at `window.Till` before the script has loaded: `(window.Till ||= []).push((till) => …)` */
export type TillQueue = ((till: Till) => void)[]

/** Both elements tell what happens as CustomEvents that do not bubble. */
type ElementEvents = { [T in keyof TillEvents]: CustomEvent<TillEvents[T]> }

interface TillElement extends HTMLElement {
  order: OrderSource | undefined
  readonly session: Session | undefined
  addEventListener<T extends keyof ElementEvents>(type: T, run: (event: ElementEvents[T]) => void, options?: AddEventListenerOptions | boolean): void
  addEventListener(type: string, run: EventListenerOrEventListenerObject, options?: AddEventListenerOptions | boolean): void
}

export interface TillButtonElement extends TillElement {}
export interface TillCheckoutElement extends TillElement {}

declare global {
  interface Window {
    Till?: Till | TillQueue
  }
  interface HTMLElementTagNameMap {
    'till-button': TillButtonElement
    'till-checkout': TillCheckoutElement
  }
}
