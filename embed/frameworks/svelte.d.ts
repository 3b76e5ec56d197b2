import type { HTMLAttributes } from 'svelte/elements'
import type { ButtonAttributes, CheckoutAttributes, ElementAttributes } from '../dist/jsx.js'
import type { TillButtonElement, TillCheckoutElement } from '../dist/till.js'

type Props<E extends EventTarget, A> = Omit<HTMLAttributes<E>, keyof A> & A

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'till-button': Props<TillButtonElement, ElementAttributes<ButtonAttributes>>
    'till-checkout': Props<TillCheckoutElement, ElementAttributes<CheckoutAttributes>>
  }
}
