import type { OrderRead } from '../../../wire/order-read.ts'

/** In a frame some wallets are not available, and on a phone a link can open a wallet app, so the view distinguishes both. */

export const isFramed = (): boolean => window.parent !== window

/** This is a guess from the pointer and the screen, because a user agent does not say reliably whether it is a phone. */
export const isPhone = (): boolean => matchMedia('(pointer: coarse)').matches && matchMedia('(max-width: 900px)').matches

/** Wallet apps open this URL in their own browser. */
export const pageUrl = (order: OrderRead): string => order.hosted_url ?? location.origin + location.pathname
