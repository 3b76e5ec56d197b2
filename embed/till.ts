import type { Emitter, Presentation, TillEvents } from './events.ts'
import type { Theme } from './protocol.ts'

/** An id, or a function that gets one from the merchant's server. It is called while the click still counts, and may return a promise. */
export type OrderSource = string | (() => string | Promise<string>)

export interface OpenOptions {
  order: OrderSource
  /** The default is `auto`. */
  present?: Presentation | 'auto'
  theme?: Theme
}

type Final = 'paid' | 'failed' | 'refunded' | 'closed' | 'error'

/** The first of these events that happened. After `closed` or `error` the money may still be on its way, so rely on the webhook. */
export type Result = { [T in Final]: { readonly type: T } & TillEvents[T] }[Final]

/** One checkout that is being shown. */
export interface Session extends Emitter {
  readonly order: string | undefined
  readonly result: Promise<Result>
  close(): void
}

/** What the script puts at `window.Till`. */
export interface Till extends Emitter {
  /** Opens a modal, a popup or the whole tab. Call it from the click handler. */
  open(options: OpenOptions): Session
  /** Shows the checkout in the layout, inside `target`. */
  mount(target: Element, options: { order: OrderSource; theme?: Theme }): Session
  /** Loads what the next `open` needs. The button calls it on hover, touch and focus. */
  prepare(): void
  /** Calls the functions at once. Before the script has loaded, it is an array's own push, and they are called when it has loaded. */
  push(...runs: ((till: Till) => void)[]): void
  /** How many messages were dropped because they were not in the protocol or came from another origin. */
  readonly dropped: number
}

/** What is at `window.Till` before the script has loaded: `(window.Till ||= []).push((till) => …)` */
type TillQueue = ((till: Till) => void)[]

/** Both elements report what happens as CustomEvents that do not bubble. */
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
