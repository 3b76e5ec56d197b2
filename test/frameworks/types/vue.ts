import { TillButton, TillCheckout } from '@till-pay/checkout/vue'
import { h, type GlobalComponents } from 'vue'

/** What a Vue project's render functions say. Templates are compiled to the same. */
export const view = () => [
  h(TillButton, { order: async () => 'ord_1', size: 'large', present: 'popup', onPaid: (event) => event.detail.status.toUpperCase() }),
  h(TillCheckout, { order: 'ord_1', theme: 'dark', onError: (event) => event.detail.code }),
]

type Button = InstanceType<GlobalComponents['till-button']>['$props']
export const right: Button = { order: 'ord_1', size: 'small', class: 'wide' }

export const wrong = () => [
  // @ts-expect-error no such size
  h(TillButton, { order: 'ord_1', size: 'huge' }),
  // @ts-expect-error a promise starts before the click, but the window has to open first
  h(TillButton, { order: Promise.resolve('ord_1') }),
  // @ts-expect-error open has no status
  h(TillCheckout, { onOpen: (event) => event.detail.status }),
]
// @ts-expect-error a function would become the text of an attribute: the component sets it
export const wrongButton: Button = { order: async () => 'ord_1' }
// @ts-expect-error no such size
export const wrongSize: Button = { size: 'huge' }
