import type { HTMLAttributes, JSX } from 'preact'
import type { ButtonAttributes, CheckoutAttributes, ComponentHandlers, ElementAttributes } from '../dist/jsx.js'
import type { TillButtonElement, TillCheckoutElement } from '../dist/till.js'

type ComponentProps<E extends EventTarget, A> = Omit<HTMLAttributes<E>, keyof A | keyof ComponentHandlers> & A & ComponentHandlers
type ElementProps<E extends EventTarget, A> = Omit<HTMLAttributes<E>, keyof A> & A

/** `order` may be a function, also before till.js has come, and hydrated. */
export declare const TillButton: (props: ComponentProps<TillButtonElement, ButtonAttributes>) => JSX.Element
export declare const TillCheckout: (props: ComponentProps<TillCheckoutElement, CheckoutAttributes>) => JSX.Element

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'till-button': ElementProps<TillButtonElement, ElementAttributes<ButtonAttributes>>
      'till-checkout': ElementProps<TillCheckoutElement, ElementAttributes<CheckoutAttributes>>
    }
  }
}
