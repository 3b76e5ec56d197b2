import '@till-pay/checkout/svelte'
import type { SvelteHTMLElements } from 'svelte/elements'

/** What svelte-check holds a template's elements against. */
type Button = SvelteHTMLElements['till-button']
type Checkout = SvelteHTMLElements['till-checkout']

export const button: Button = { order: 'ord_1', size: 'large', class: 'wide', onpaid: (event) => event.detail.status.toUpperCase() }
export const checkout: Checkout = { order: 'ord_1', theme: 'dark', onerror: (event) => event.detail.code }

// @ts-expect-error no such size
export const wrongSize: Button = { order: 'ord_1', size: 'huge' }
// @ts-expect-error a function would become the text of an attribute: an attachment sets it
export const wrongOrder: Button = { order: async () => 'ord_1' }
// @ts-expect-error open has no status
export const wrongEvent: Checkout = { onopen: (event) => event.detail.status }
