import type { Emitter, Presentation, TillEvents } from './events.ts'
import type { Theme } from './protocol.ts'

/** An id, or what gets one from the merchant's server. Called inside the click; what it returns may take its time. */
export type OrderSource = string | (() => string | Promise<string>)

export interface OpenOptions {
  order: OrderSource
  /** auto, unless said otherwise. */
  present?: Presentation | 'auto'
  theme?: Theme
}

type Final = 'paid' | 'failed' | 'refunded' | 'closed' | 'error'

/** How it ended for this visitor. After `closed` the money may still be on its way: the webhook knows. */
export type Result = { [T in Final]: { readonly type: T } & TillEvents[T] }[Final]

/** One checkout on show. */
export interface Session extends Emitter {
  readonly order: string | undefined
  readonly result: Promise<Result>
  close(): void
}

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
type TillQueue = ((till: Till) => void)[]

/** Both elements tell what happens as CustomEvents that do not bubble. */
type ElementEvents = { [T in keyof TillEvents]: CustomEvent<TillEvents[T]> }

interface TillElement extends HTMLElement {
  order: OrderSource | undefined
  readonly session: Session | undefined
  addEventListener<T extends keyof ElementEvents>(
    type: T,
    run: (event: ElementEvents[T]) => void,
    options?: AddEventListenerOptions | boolean,
  ): void
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
