import type { Emitter, Presentation, TillEvents } from './events.ts'
import type { Theme } from './protocol.ts'

/** An order is given by its id, or by a function that fetches the id from the merchant's server. The function is called at once. */
export type OrderSource = string | (() => string | Promise<string>)

export interface OpenOptions {
  order: OrderSource
  /** The default is `auto`. */
  present?: Presentation | 'auto'
  theme?: Theme
  /** Only these recipients may be paid: addresses with commas between them. Nothing of another order is shown. */
  expect?: string
}

type Final = 'paid' | 'failed' | 'refunded' | 'closed' | 'error'

/** The first of these events decides the result. Money may still arrive after `closed` or `error`, so rely on the webhook. */
export type Result = { [T in Final]: { readonly type: T } & TillEvents[T] }[Final]

/** A session lasts from opening a checkout until it is closed. */
export interface Session extends Emitter {
  readonly order: string | undefined
  readonly result: Promise<Result>
  close(): void
}

/** The script puts this at `window.Till`. */
export interface Till extends Emitter {
  /** Opens a modal or popup, or redirects the whole tab. Call it in a click handler, or the browser may block a popup. */
  open(options: OpenOptions): Session
  /** Shows the checkout in the page's layout, at the end of `target`. */
  mount(target: Element, options: Pick<OpenOptions, 'order' | 'theme' | 'expect'>): Session
  /** Loads what the next `open` needs, which makes it faster. `<till-button>` calls it on hover, touch and focus. */
  prepare(): void
  /** Calls the functions at once. Before the script has loaded, `Till` is a plain array, and its functions are called after loading. */
  push(...runs: ((till: Till) => void)[]): void
  /** This counts messages that were dropped because they were not in the protocol or came from another origin. */
  readonly dropped: number
}

/** Pages queue their functions before the script has loaded: `(window.Till ||= []).push((till) => …)`. */
type TillQueue = ((till: Till) => void)[]

/** Both elements dispatch CustomEvents that do not bubble, so listen on the element itself. */
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
