import type { JSX } from 'solid-js'
import type { TillEvents } from '../dist/events.js'
import type { ButtonAttributes, CheckoutAttributes, ElementAttributes } from '../dist/jsx.js'
import type { OrderSource, TillButtonElement, TillCheckoutElement } from '../dist/till.js'

/** Solid sets a property with `prop:` and listens with `on:`, also before the element's class is defined. */
interface Explicit {
  'prop:order'?: OrderSource
}
type Listeners = { [T in keyof TillEvents as `on:${T}`]?: (event: CustomEvent<TillEvents[T]>) => void }
type Props<E, A> = Omit<JSX.HTMLAttributes<E>, keyof A | keyof Listeners> & A & Explicit & Listeners

declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'till-button': Props<TillButtonElement, ElementAttributes<ButtonAttributes>>
      'till-checkout': Props<TillCheckoutElement, ElementAttributes<CheckoutAttributes>>
    }
  }
}
