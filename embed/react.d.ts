import type { DetailedHTMLProps, HTMLAttributes } from 'react'
import type { ButtonAttributes, CheckoutAttributes } from './dist/jsx.js'
import type { TillButtonElement, TillCheckoutElement } from './dist/till.js'

type Props<E, A> = Omit<DetailedHTMLProps<HTMLAttributes<E>, E>, keyof A> & A

/** `import '@till-pay/checkout/react'` once, anywhere, makes the elements known to JSX. */
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'till-button': Props<TillButtonElement, ButtonAttributes>
      'till-checkout': Props<TillCheckoutElement, CheckoutAttributes>
    }
  }
}
