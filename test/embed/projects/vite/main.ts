import { loadTill } from '@till-pay/checkout'

/** A merchant's page that Vite builds for browsers. */
const till = await loadTill({ payUrl: 'https://pay.example' })
till?.on('paid', ({ order }) => console.log(order))
document.querySelector('till-button')!.order = async () => (await fetch('/checkout', { method: 'POST' })).text()
