import { loadTill, type Result, type Session } from '@till-pay/checkout'

/** What a merchant's page writes, and what must not compile in it. */
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

// @ts-expect-error an order is an id or what gives one
till?.open({ order: 5 })
// @ts-expect-error no such presentation
till?.open({ order: 'ord_1', present: 'sidebar' })
// @ts-expect-error no such event
session?.on('payed', () => {})
// @ts-expect-error it may be on a server, where there is nothing
till.open({ order: 'ord_1' })
// @ts-expect-error a promise is made too early: the window has to open first
button.order = Promise.resolve('ord_1')
// @ts-expect-error open has no status
till?.on('open', (detail) => detail.status)
