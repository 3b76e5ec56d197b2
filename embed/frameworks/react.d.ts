import type { DetailedHTMLProps, HTMLAttributes, JSX, Ref } from 'react'
import type { ButtonAttributes, CheckoutAttributes, ComponentHandlers, ElementAttributes } from '../dist/jsx.js'
import type { TillButtonElement, TillCheckoutElement } from '../dist/till.js'

type ComponentProps<E, A> = Omit<HTMLAttributes<E>, keyof A | keyof ComponentHandlers> & A & ComponentHandlers & { ref?: Ref<E> }
type ElementProps<E, A> = Omit<DetailedHTMLProps<HTMLAttributes<E>, E>, keyof A> & A

/** For React 19. `order` may be a function, however the component is rendered: before till.js has come, in StrictMode, hydrated. */
export declare const TillButton: (props: ComponentProps<TillButtonElement, ButtonAttributes>) => JSX.Element
export declare const TillCheckout: (props: ComponentProps<TillCheckoutElement, CheckoutAttributes>) => JSX.Element

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'till-button': ElementProps<TillButtonElement, ElementAttributes<ButtonAttributes>>
      'till-checkout': ElementProps<TillCheckoutElement, ElementAttributes<CheckoutAttributes>>
    }
  }
}
