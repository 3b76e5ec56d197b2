import type { DefineComponent, HTMLAttributes } from 'vue'
import type { ButtonAttributes, CheckoutAttributes, ComponentHandlers, ElementAttributes } from '../dist/jsx.js'

type Component<A> = DefineComponent<A & ComponentHandlers>
type Element<A> = DefineComponent<Omit<HTMLAttributes, keyof A | keyof ComponentHandlers> & A & ComponentHandlers>

/** `order` may be a function, also before till.js has come, and hydrated. */
export declare const TillButton: Component<ButtonAttributes>
export declare const TillCheckout: Component<CheckoutAttributes>

declare module 'vue' {
  interface GlobalComponents {
    'till-button': Element<ElementAttributes<ButtonAttributes>>
    'till-checkout': Element<ElementAttributes<CheckoutAttributes>>
  }
}
