import { loadTill, type Result, type Session } from '@till-pay/checkout'

/** A merchant's page script, with mistakes that must not compile. */
const till = await loadTill({ payUrl: 'https://pay.example', nonce: 'abc' })
const session: Session | undefined = till?.open({ order: async () => 'ord_1', present: 'modal', theme: 'dark' })
session?.on('paid', (detail) => detail.status.toUpperCase())
session?.on('partial', ({ received, remaining }) => `${received} ${remaining}`)
export const result: Promise<Result> | undefined = session?.result
till?.mount(document.body, { order: 'ord_1' }).close()
till?.on('error', ({ code }) => code === 'refused')
const button = document.querySelector('till-button')!
button.order = () => 'ord_1'
button.addEventListener('paid', (event) => event.detail.order.length)
button.addEventListener('click', (event) => event.preventDefault())
document.createElement('till-checkout').order = 'ord_1'
;(window.Till ??= []).push((early) => early.prepare())

// @ts-expect-error an order is an id or a function that returns one
till?.open({ order: 5 })
// @ts-expect-error an unknown presentation
till?.open({ order: 'ord_1', present: 'sidebar' })
// @ts-expect-error an unknown event
session?.on('payed', () => {})
// @ts-expect-error loadTill gives null on a server
till.open({ order: 'ord_1' })
// @ts-expect-error a promise starts before the click, but the window has to open first
button.order = Promise.resolve('ord_1')
// @ts-expect-error open has no status
till?.on('open', (detail) => detail.status)
