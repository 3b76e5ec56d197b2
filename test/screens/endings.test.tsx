import { cleanup, waitFor } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords } from '../../src/i18n/words.ts'
import { titleOf } from '../../src/screens/title.ts'
import * as orders from '../support/orders/orders.ts'
import type { ServedOrder } from '../../server/pages/order-source.ts'
import { show } from './support.tsx'

/** How the stories of payments end: where the money is, what to do next, and what the tab's title says of it. */

const english = createWords('en', catalogue.en)
const heading = (screen: ReturnType<typeof show>) => screen.container.querySelector('main h1')?.textContent

test('default: the title says what has become of the payment, and of which shop or invoice', () => {
  const titles = Object.fromEntries(
    Object.entries(orders.recorded).map(([name, make]) => {
      const { page, unmount } = show(make())
      unmount()
      return [name, titleOf(english, page)]
    }),
  )
  expect(titles).toMatchObject({
    '01-choose': '42.50 USDC on Base to Northwind Coffee',
    '04-address': '42.50 USDC on Base to Northwind Coffee',
    '05-partial': '22.50 USDC on Base left · Northwind Coffee',
    '06-confirming': 'Payment detected: 42.50 USDC on Base · Northwind Coffee',
    '06-executing': 'Received: 42.50 USDC on Base · Northwind Coffee',
    '07-completed': 'Paid · 42.50 USDC on Base · Northwind Coffee',
    '08-expired': 'Time’s up · Northwind Coffee',
    '08b-late': 'Your 42.50 USDC on Base arrived late, but it still counts · Northwind Coffee',
    '08c-expired-money': 'Received · 20.00 USDC on Base · Northwind Coffee',
    '08d-expired-stray': 'Held for you · 42.50 USDC on Ethereum · Northwind Coffee',
    '09-refunded': 'Refunded · 42.50 USDC on Base · Northwind Coffee',
    '09b-held': 'Held for you · 42.50 USDC on Base · Northwind Coffee',
    '09c-failed': 'The payment didn’t finish · Northwind Coffee',
    '17-wrong-chain': '42.50 USDC on Base to Northwind Coffee',
    '19-unknown': 'We’re checking on your order · Northwind Coffee',
    '20-bare': 'Payment',
  })
  expect(titleOf(english, show(orders.completed(), { invoice: { next: 'order' } }).page)).toBe(
    'Paid · 42.50 USDC on Base · Invoice NW-20418',
  )
  expect(titleOf(english, show(orders.pending(), { invoice: { next: 'order' } }).page)).toBe('Invoice NW-20418')
})

test('default: a payment that went wrong leads to the shop’s contact, with the reference in the subject', () => {
  const mail = 'mailto:help@northwind.example?subject=Order%20NW-20418'
  const filled = { failedEmpty: orders.failedEmpty, held: orders.held, expiredStray: orders.expiredStray, overpaid: orders.overpaid }
  const second = { refunded: orders.refunded, wrongChain: orders.wrongChain, late: orders.late, expiredWithMoney: orders.expiredWithMoney }
  for (const [name, make] of Object.entries({ ...filled, ...second })) {
    const screen = show(make())
    const links = screen.getAllByRole('link', { name: 'Contact Northwind Coffee' })
    expect(links, name).toHaveLength(1)
    expect(links[0]!.getAttribute('href'), name).toBe(mail)
    const buttons = [...screen.container.querySelectorAll('main a.btn:not(.two), main button.btn:not(.two)')]
    expect(buttons.includes(links[0]!), name).toBe(name in filled)
    expect(buttons.length, name).toBeLessThanOrEqual(1)
    screen.unmount()
  }
  expect(show(orders.completed()).queryByText(/^Contact/)).toBeNull()
  expect(show(orders.awaiting()).queryByText(/^Contact/)).toBeNull()
})

/** The same order with two transfers on another network. */
function withStrays(order: ServedOrder): ServedOrder {
  const stray = (tx_hash: string) => orders.transfer('5.00', { chain_id: 1, currency: orders.usdt, state: 'held', tx_hash })
  const funding = order.payment!.funding!
  const transactions = [...(funding.transactions ?? []), stray('0x5a1'), stray('0x5a2')]
  return { ...order, payment: { ...order.payment!, funding: { ...funding, transactions } } }
}

test('behavior: however many things went wrong, the contact is offered once', () => {
  const { awaiting, confirming, late, completed, overpaid, overpaidBack, expired, expiredWithMoney, unknownStatus, failedEmpty, held } =
    orders
  const makes = {
    awaiting,
    confirming,
    late,
    completed,
    overpaid,
    overpaidBack,
    expired,
    expiredWithMoney,
    unknownStatus,
    failedEmpty,
    held,
  }
  for (const [name, make] of Object.entries(makes)) {
    const screen = show(withStrays(make()))
    expect(screen.getAllByRole('link', { name: 'Contact Northwind Coffee' }), name).toHaveLength(1)
    screen.unmount()
  }
})

test('behavior: a surplus went back once confirmed refunds of the paid currency cover it', () => {
  const title = (...refunds: object[]) => {
    const order = orders.overpaidBack()
    const screen = show({ ...order, payment: { ...order.payment!, refunds } } as ServedOrder)
    const text = screen.container.querySelector('main h1')?.textContent
    screen.unmount()
    return text
  }
  const refund = (ui: string, more: object = {}) => ({ amount: orders.units(ui), currency: orders.usdc, state: 'confirmed', ...more })
  const open = 'You’ve paid, and 7.50 USDC on Base is still yours'
  const closed = 'Paid 42.50 USDC on Base'
  expect(title(refund('7.50'))).toBe(closed)
  expect(title(refund('7.50', { currency: undefined }))).toBe(closed)
  expect(title(refund('5.00'), refund('2.50'))).toBe(closed)
  expect(title(refund('7.50', { currency: orders.usdt }))).toBe(open)
  expect(title(refund('5.00'))).toBe(open)
  expect(title(refund('7.50', { state: 'pending' }))).toBe(open)
})

test('behavior: without a contact no screen offers one, and a way back to the shop is its button', () => {
  const settings = { ...orders.pending().settings!, support_url: undefined }
  for (const make of [orders.failedEmpty, orders.held, orders.overpaid]) {
    const screen = show({ ...make(), settings })
    expect(screen.queryByText(/^Contact/)).toBeNull()
    expect(screen.getByText('Return to Northwind Coffee').className).toBe('btn')
    screen.unmount()
  }
})

test('behavior: the page does not leave by itself while money is open', async () => {
  const done = show(orders.completed())
  await waitFor(() => expect(done.getByText(/^Returning to Northwind Coffee/)).toBeTruthy())
  done.unmount()
  for (const make of [orders.overpaid, orders.overpaidBack]) {
    const screen = show(make())
    await waitFor(() => expect(screen.getByText('Return to Northwind Coffee')).toBeTruthy())
    expect(screen.queryByText(/^Returning/)).toBeNull()
    screen.unmount()
  }
})

test('behavior: a failed payment says where the money is', () => {
  const empty = show(orders.failedEmpty())
  expect(heading(empty)).toBe('The payment didn’t finish. We received nothing.')
  for (const label of ['Held for you', 'Amount due', 'You pay']) expect(empty.container.textContent).not.toContain(label)
  cleanup()
  expect(heading(show(orders.held()))).toBe('We’re holding your 42.50 USDC on Base safely')
  cleanup()
  expect(heading(show(orders.bare('FAILED')))).toBe('The payment didn’t finish')
  cleanup()
  expect(heading(show(orders.overpaid()))).toBe('You’ve paid, and 7.50 USDC on Base is still yours')
  cleanup()
  const stray = show(withStrays(orders.failedEmpty()))
  expect(heading(stray)).toBe('We’re holding your 5.00 USDT on Ethereum safely')
  expect(stray.container.textContent).not.toContain('Amount due')
})
