import type { HTMLAttributes } from 'preact'
import type { ButtonAttributes, CheckoutAttributes } from './dist/jsx.js'
import type { TillButtonElement, TillCheckoutElement } from './dist/till.js'

/** `import '@till-pay/checkout/preact'` once, anywhere, makes the elements known to JSX. */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'till-button': Omit<HTMLAttributes<TillButtonElement>, keyof ButtonAttributes> & ButtonAttributes
      'till-checkout': Omit<HTMLAttributes<TillCheckoutElement>, keyof CheckoutAttributes> & CheckoutAttributes
    }
  }
}
