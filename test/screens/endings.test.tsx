import { cleanup, fireEvent, waitFor } from '@testing-library/preact'
import { expect, test, vi } from 'vitest'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords } from '../../src/i18n/words.ts'
import { titleOf } from '../../src/screens/title.ts'
import * as orders from '../support/orders/orders.ts'
import type { ServedOrder } from '../../server/pages/order-source.ts'
import { show } from './support.tsx'

/** How the stories of payments end: where the money is, what to do next, and what the tab's title says of it. */

const english = createWords('en', catalogue.en)
/** What a closed fold holds is not seen. */
const filled = (screen: ReturnType<typeof show>) =>
  [...screen.container.querySelectorAll('main .btn:not(.two)')].filter((button) => !button.closest('details:not([open]) > :not(summary)'))
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
    '17-wrong-chain': 'Held for you · 42.50 USDC on Ethereum · Northwind Coffee',
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
  const first = { failedEmpty: orders.failedEmpty, heldWithProposal: orders.heldWithProposal }
  const second = {
    held: orders.held,
    expiredStray: orders.expiredStray,
    overpaid: orders.overpaid,
    refunded: orders.refunded,
    wrongChain: orders.wrongChain,
    late: orders.late,
    expiredWithMoney: orders.expiredWithMoney,
  }
  for (const [name, make] of Object.entries({ ...first, ...second })) {
    const screen = show(make())
    const links = screen.getAllByRole('link', { name: 'Contact Northwind Coffee' })
    expect(links, name).toHaveLength(1)
    expect(links[0]!.getAttribute('href'), name).toBe(mail)
    expect(filled(screen).includes(links[0]!), name).toBe(name in first)
    expect(filled(screen).length, name).toBeLessThanOrEqual(1)
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

test('behavior: where money was seen nothing says that it will show up, or asks for its hash', () => {
  for (const name of ['08c-expired-money', '08d-expired-stray', '19-unknown'] as const) {
    const screen = show(orders.recorded[name]!())
    expect(screen.queryByText(/will show up here/), name).toBeNull()
    expect(screen.queryByRole('textbox', { name: /Find my payment/ }), name).toBeNull()
    screen.unmount()
  }
  const unpaid = show(orders.recorded['08-expired']!())
  expect(unpaid.getByRole('textbox', { name: /Find my payment/ })).toBeTruthy()
})

test('behavior: a status that the page does not know leads to the shop, with the reference', () => {
  const screen = show(orders.unknownStatus())
  expect(screen.getByRole('link', { name: 'Contact Northwind Coffee' }).getAttribute('href')).toContain('NW-20418')
  expect(screen.getByRole('button', { name: 'Copy reference' })).toBeTruthy()
})

test('behavior: what the order needs is said of a stray transfer only while it can still be paid, or priced anew', async () => {
  const titles = (order: ServedOrder) => {
    const { container } = show(withStrays(order))
    return [...container.querySelectorAll('h1, .note > div > b')].map((title) => title.textContent)
  }
  const arrived = 'Your 5.00 USDT arrived on Ethereum.'
  const whole = `${arrived} This order needs USDC on Base.`
  // The screen is about the first one.
  expect(titles(orders.awaiting())).toEqual([whole, whole])
  expect(document.querySelector('h2')?.textContent).toBe('To pay the order, send 42.50 USDC on Base.')
  expect(titles(orders.expired())).toEqual([whole, whole])
  expect(titles(orders.completed())).toEqual(['Paid. Thank you.', arrived, arrived])
  // Only where no form asks for an address is the shop named as the one to ask.
  expect(show(withStrays(orders.confirming())).container.textContent).toContain('Mention order NW-20418')
  expect(show(withStrays(orders.expired())).container.textContent).not.toContain('Mention order')
  cleanup()
  const rest = show(withStrays(orders.partial()))
  expect(rest.container.textContent).not.toContain('Mention order')
  fireEvent.click(rest.getByRole('button', { name: 'Pay the rest from a wallet' }))
  await waitFor(() => expect(rest.container.textContent).toContain('Mention order NW-20418'))
})

test('default: money that waits for an address asks for it with the one filled button, and nothing else does', () => {
  const waiting = { held: orders.held, expiredStray: orders.expiredStray, overpaid: orders.overpaid }
  const stranger = () => orders.byStranger(orders.overpaid())
  const others = {
    stranger,
    completed: orders.completed,
    overpaidBack: orders.overpaidBack,
    refunded: orders.refunded,
    failedEmpty: orders.failedEmpty,
  }
  for (const [name, make] of Object.entries(waiting)) {
    const screen = show(make())
    expect(filled(screen), name).toEqual([screen.getByText('Get it back')])
    expect(screen.getByRole('button', { name: 'Ask for it back' }).className, name).toBe('btn')
    const network = name === 'expiredStray' ? 'Ethereum' : 'Base'
    expect(screen.getByLabelText(`Your address on ${network}`), name).toBeTruthy()
    screen.unmount()
  }
  for (const [name, make] of Object.entries(others)) {
    const screen = show(make())
    expect(screen.queryByRole('button', { name: 'Ask for it back' }), name).toBeNull()
    screen.unmount()
  }
})

test('behavior: on a page that can still be paid, the address for a stray transfer waits behind a fold', () => {
  const screen = show(orders.wrongChain())
  const form = screen.getByLabelText('Your address on Ethereum').closest('details')
  expect(form?.open).toBe(false)
  expect(form?.querySelector('summary')?.textContent).toBe('Get it back')
  expect(filled(screen)).toEqual([screen.getByRole('button', { name: 'Copy address' })])
})

test('behavior: the address is asked for on the network where the money is, also before it counts as held', () => {
  const { payment, ...order } = orders.wrongChain()
  const [transfer] = payment!.funding!.transactions ?? []
  const funding = { ...payment!.funding!, transactions: [{ ...transfer!, state: 'seen' }] }
  expect(show({ ...order, payment: { ...payment!, funding } }).getByLabelText('Your address on Ethereum')).toBeTruthy()
})

test('behavior: once an address was proposed for a stray transfer, no fold hides what becomes of it', () => {
  const { payment, ...order } = orders.wrongChain()
  const refund = { ...orders.heldWithProposal().payment!.refund!, proposed: [{ address: `0x${'ab'.repeat(20)}`, chain_id: 1 }] }
  const note = show({ ...order, payment: { ...payment!, refund } }).getByText(/We’ve given Northwind Coffee this address/)
  expect(note.closest('details')).toBeNull()
  expect(note.closest('.note')?.textContent).toContain('Ethereum')
})

test('behavior: an address that was proposed is shown, is not yet promised, and can be followed by another', () => {
  const screen = show(orders.heldWithProposal())
  const note = screen.getByText(/We’ve given Northwind Coffee this address/).closest('.note')
  expect(note?.textContent).toContain('91D3')
  expect(screen.getByText('Give another address').closest('details')?.open).toBe(false)
  expect(filled(screen).map((button) => button.textContent)).toEqual(['Contact Northwind Coffee'])
})

test('behavior: an address is sent alone, and what is none is refused before it is sent', async () => {
  const requestPayment = vi.fn(async () => {})
  const screen = show(orders.held(), { client: { requestPayment, order: async () => orders.heldWithProposal() } })
  const field = screen.getByLabelText('Your address on Base')
  const send = () => fireEvent.submit(field.closest('form')!)
  fireEvent.input(field, { target: { value: 'hello' } })
  send()
  await screen.findByText('This isn’t an address on Base.')
  expect(requestPayment).not.toHaveBeenCalled()
  const address = `0x${'ab'.repeat(20)}`
  fireEvent.input(field, { target: { value: address } })
  send()
  const told = await screen.findByText(/We’ve given Northwind Coffee this address/)
  await waitFor(() => expect(document.activeElement).toBe(told.closest('[tabindex]')))
  expect(requestPayment).toHaveBeenCalledExactlyOnceWith(
    orders.held().id,
    expect.objectContaining({ currency: expect.objectContaining({ chain_id: 8453 }), refundAddress: address, isAlone: true }),
  )
})

test('default: the drawing has the coin where the money is, and the shop only where it may still go there', () => {
  const shop = 'Northwind Coffee'
  const drawn = {
    '09b-held': ['You', '(Held for you)', shop],
    '08d-expired-stray': ['You', '(Held for you)'],
    // What was paid is there already.
    '07b-overpaid': ['You', '(Held for you)', shop],
    '08b-late': ['You', '(Till)', shop],
    '08c-expired-money': ['You', '(Held for you)', shop],
    '09-refunded': ['(You)', 'Till', shop],
    '09c-failed': ['(You)', 'Till', shop],
  }
  for (const [name, stops] of Object.entries(drawn)) {
    const screen = show(orders.recorded[name]!())
    const names = [...screen.container.querySelectorAll('.track .name')].map((stop) =>
      stop.closest('.here') ? `(${stop.textContent})` : stop.textContent,
    )
    expect(names, name).toEqual(stops)
    screen.unmount()
  }
  expect(show(orders.completed()).container.querySelector('.track')).toBeNull()
})

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
  const closed = 'Paid. Thank you.'
  expect(title(refund('7.50'))).toBe(closed)
  expect(title(refund('7.50', { currency: undefined }))).toBe(closed)
  expect(title(refund('5.00'), refund('2.50'))).toBe(closed)
  expect(title(refund('7.50', { currency: orders.usdt }))).toBe(open)
  expect(title(refund('5.00'))).toBe(open)
  expect(title(refund('7.50', { state: 'pending' }))).toBe(open)
})

test('behavior: a surplus that went back names its transaction and not that of another refund', () => {
  const order = { ...orders.overpaidBack(), is_live: true }
  const refund = { amount: orders.units('7.50'), currency: orders.usdc, state: 'confirmed', tx_hash: `0x${'ab'.repeat(32)}` }
  const stray = { amount: orders.units('1.00'), currency: orders.usdt, state: 'confirmed', tx_hash: `0x${'cd'.repeat(32)}` }
  const screen = show({ ...order, payment: { ...order.payment!, refunds: [refund, stray] } } as ServedOrder)
  const links = [...screen.container.querySelectorAll<HTMLAnchorElement>('.note a')].map(({ href }) => href)
  expect(links).toEqual([`https://basescan.org/tx/${refund.tx_hash}`])
})

test('behavior: without a contact no screen offers one, and a way back to the shop is its button', () => {
  const settings = { ...orders.pending().settings!, support_url: undefined }
  for (const make of [orders.failedEmpty, orders.held, orders.heldWithProposal, orders.overpaid]) {
    const screen = show({ ...make(), settings })
    expect(screen.queryByText(/^Contact/)).toBeNull()
    const asksForAddress = screen.queryByRole('button', { name: 'Ask for it back' }) !== null
    const isFirst = !asksForAddress || make === orders.heldWithProposal
    expect(screen.getByText('Return to Northwind Coffee').className).toBe(isFirst ? 'btn' : 'btn two')
    screen.unmount()
  }
})

test('behavior: the page does not leave by itself while money is open', async () => {
  const done = show(orders.completed())
  await waitFor(() => expect(done.getByText(/^Returning in/)).toBeTruthy())
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
  const { payment, ...held } = orders.held()
  const refunds = [{ amount: orders.units('30.00'), tx_hash: orders.hash, state: 'confirmed' }]
  const part = show({ ...held, payment: { ...payment!, refunds } })
  expect(heading(part)).toBe('We’re holding your 12.50 USDC on Base safely')
  expect(part.getByText('Refunded').nextElementSibling?.textContent).toBe('30.00 USDC on Base')
  // A refund ends the retries.
  expect(part.container.textContent).not.toContain('keep trying')
  cleanup()
  const stray = show(withStrays(orders.failedEmpty()))
  expect(heading(stray)).toBe('We’re holding your 5.00 USDT on Ethereum safely')
  expect(stray.container.textContent).not.toContain('Amount due')
})

test('behavior: once an address was given for money sent another way, its form is closed and nothing asks for it again', async () => {
  const screen = show(orders.wrongChain())
  const form = () => screen.container.querySelector<HTMLDetailsElement>('details:has(form[method=post] #back)')
  form()!.open = true
  expect(screen.container.textContent).toContain('Where should it go back to?')
  const { payment, ...order } = orders.wrongChain()
  const refund = { address: undefined, reason: undefined, tx_hash: undefined, proposed: [{ address: orders.depositAddress, chain_id: 1 }] }
  screen.page.checkout.apply({ ...order, updated_at: '2026-05-12T14:07:00.000Z', payment: { ...payment!, refund } })
  await waitFor(() => expect(screen.container.textContent).not.toContain('Where should it go back to?'))
  expect(form()!.open).toBe(false)
})

test('behavior: a card payment and its receipt state what the card was charged, and no rate of a currency that the payer never had', () => {
  const screen = show(orders.completedByCard())
  expect(screen.container.querySelector('.thanks')!.textContent).toBe(
    'Paid. Thank you.$44.04Northwind Coffee has your payment and will take it from here.',
  )
  expect(screen.container.querySelector('.sum .due')!.textContent).toBe('Paid $44.04')
  expect(screen.container.querySelector('.sum .tot')!.textContent).toBe('Total$42.50Paid$44.04')
  expect(titleOf(english, screen.page)).toBe('Paid · $44.04 · Northwind Coffee')
  const text = screen.getByRole('region', { name: 'Receipt' }).textContent
  expect(text).toContain('Paid withCard · $44.04incl. $1.54 fees')
  expect(text).toContain('Total$42.50')
  expect(text).not.toMatch(/Rate|USDC on Base/)
})

test('behavior: what was paid is first in money that the payer knows', () => {
  const paid = (order: ServedOrder) => {
    const { container, unmount } = show(order)
    const text = container.querySelector('.thanks p')!.textContent
    unmount()
    return text
  }
  expect(paid(orders.completed())).toBe('$42.50 · 42.50 USDC on Base')
  // Nobody has confirmed who was paid, so nothing is said of them.
  expect(show(orders.byStranger(orders.completed())).container.querySelector('.thanks')!.textContent).not.toContain('payment')
  cleanup()
  expect(paid(orders.completedInEther())).toMatch(/^≈ \$42\.9\d · 0\.\d+ ETH on Ethereum$/)
  const { fulfillment, ...unpriced } = orders.completed()
  expect(
    paid({ ...unpriced, price: { amount: '42.50', unit: 'usdc' }, fulfillment: { ...fulfillment!, asset: undefined } } as ServedOrder),
  ).toContain('42.50 USDC on Base')
})

test('behavior: the receipt of a payment that cost more than the price says for what', () => {
  const receipt = (order: ServedOrder) => show(order).getByRole('region', { name: 'Receipt' }).textContent
  const converted = receipt(orders.completedInEther())
  expect(converted).toContain('ETH on EthereumIncludes $0.45 for conversion')
  expect(converted).toContain('1 ETH = $2,500.00')
  cleanup()
  const { payment, ...order } = orders.completed()
  const required_amount = orders.units('43.46')
  expect(receipt({ ...order, payment: { ...payment!, funding: { ...payment!.funding!, required_amount } } })).toContain(
    'USDC on Baseincl. $0.96 fees',
  )
})

test('behavior: once an address for a surplus was proposed, nothing is left to do but to return to the shop', () => {
  const { payment, ...order } = orders.overpaid()
  const { refund } = orders.heldWithProposal().payment!
  const settings = { ...order.settings, return_url: 'https://shop.example/thanks' }
  const screen = show({ ...order, settings, payment: { ...payment!, refund } })
  expect(filled(screen).map(({ textContent }) => textContent)).toEqual(['Return to Northwind Coffee'])
  expect(screen.getByRole('link', { name: 'Contact Northwind Coffee' })).toBeTruthy()
})

test('behavior: money that does not pay the order is shown on every screen that could lead to sending more', () => {
  for (const query of ['?method=choose', '?method=choose&pick=1', '?method=wallet', '?method=card']) {
    const screen = show(orders.wrongChain(), { query })
    expect(screen.container.querySelector('.note')?.textContent, query).toContain('Your 42.50 USDC arrived on Ethereum')
    screen.unmount()
  }
  expect(show(orders.pending(), { query: '?method=choose' }).container.querySelector('.note')).toBeNull()
  cleanup()
  // A charged card pays the order, so nothing more is to be sent.
  const { steps } = orders.completedByCard().payment!
  const { payment, ...order } = orders.wrongChain()
  const charged = show({ ...order, payment: { ...payment!, steps } }).container.querySelector('.note')
  expect(charged?.textContent).toContain('Your 42.50 USDC arrived on Ethereum.')
  expect(charged?.textContent).not.toContain('To pay the order')
})
