import { loadTill } from '@till-pay/checkout'

/** What a shop's page does, whatever it is made with. The test has put `newOrder` there, and the service's address. */
export const load = () => loadTill({ payUrl: window.payUrl })

/** A new function at each render, as an inline one is. */
export const newOrder = () => async () => window.newOrder()

export const receive = (from) => (event) => (window.shopEvents ??= []).push(`${from} ${event.type} ${event.detail.order}`)
