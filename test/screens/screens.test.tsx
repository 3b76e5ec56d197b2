import { fireEvent, waitFor } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords } from '../../src/i18n/words.ts'
import { titleOf } from '../../src/screens/title.ts'
import * as orders from '../support/orders/orders.ts'
import { show } from './support.tsx'

/** What the screens show, in a DOM without a browser. */

const heading = (screen: ReturnType<typeof show>) => screen.getByRole('heading', { level: 1 }).textContent

const english = createWords('en', catalogue.en)

test('default: choosing: every row can be taken and has its whole price, and below them is why the other ways cannot', () => {
  const screen = show(orders.pending())
  const row = screen.getByRole('button', { name: /Send to address/ })
  expect(row.textContent).toBe('Send to address≈ $42.51incl. $0.01 fees42.50 USDCShow the address')
  const ways = [...screen.container.querySelectorAll('main ul.offers > li')]
  expect(ways.map((way) => way.querySelector('b')?.textContent)).toEqual(['Send to address', 'Other token or network'])
  const other = screen.getByRole('link', { name: /Other token or network/ })
  expect(other.getAttribute('href')).toContain('pick=')
  expect(other.textContent).toBe('Other token or networkfrom ≈ $42.51')
  expect(screen.container.querySelector('[aria-disabled]')).toBeNull()
  const reasons = [...screen.container.querySelectorAll('main > .stack > p.soft')].map((line) => line.textContent?.trim())
  expect(reasons).toEqual([
    'Wallet: Wallet payments are not available here.',
    'Card: Not available where you are. Cards work in the EU and the US.',
  ])
})

test('behavior: choosing: after another token was asked for, its address keeps its amount, and a wallet starts from the order’s own', () => {
  const methods = [
    { method: 'WALLET', available: true },
    { method: 'DEPOSIT_ADDRESS', available: true },
  ]
  const screen = show(orders.recorded['04-native']!(), { query: '?method=choose', methods })
  expect(screen.getByRole('link', { name: /Wallet/ }).textContent).toContain('42.50 USDC')
  expect(screen.getByRole('link', { name: /Send to address/ }).textContent).toContain('0.014231 ETH')
  expect(screen.container.querySelector('.due')?.textContent).toContain('$42.50')
})

test('behavior: choosing: a way that the payer can do nothing about is left out, and one for larger amounts names the least', () => {
  const lines = (problem: string, reason: string) => {
    const card = { method: 'CARD', available: false, reason, problem, minimum_amount: { amount: 5, unit: 'USD' } }
    const screen = show(orders.pending(), { methods: [{ method: 'DEPOSIT_ADDRESS', available: true }, card] })
    const text = [...screen.container.querySelectorAll('main > .stack > p.soft')].map((line) => line.textContent?.trim())
    screen.unmount()
    return text
  }
  expect(lines('card_off', 'The shop does not take cards for this order.')).toEqual([])
  expect(lines('card_away', 'Card payments are not available here.')).toEqual([])
  expect(lines('card_small', 'The amount is too small for a card.')).toEqual(['Card: The amount is too small for a card. From $5.00.'])
})

const card = { method: 'CARD', available: true, minimum_amount: { amount: 5, unit: 'USD' } }
const cardSession = (total: string) =>
  orders.awaiting({
    steps: [
      {
        kind: 'stripe_onramp',
        data: {
          hosted_url: 'https://card.example/1',
          status: 'initialized',
          quote: { source_total_amount: total, source_currency: 'usd' },
        },
      } as never,
    ],
  })

test('behavior: a card costs money of the shop, about all of it by the fee that the operator has configured, and all of it once the provider has said how much', () => {
  const estimated = { ...card, estimated_total: { amount: 44.04, unit: 'USD' } }
  const row = (order: Parameters<typeof show>[0], method = card) => {
    const screen = show(order, { query: '?method=choose', methods: [method] })
    const text = screen.getByRole('link', { name: /Card/ }).textContent
    screen.unmount()
    return text
  }
  expect(row(orders.pending())).toBe('Card$42.50Plus the card provider’s feePay by card')
  expect(row(orders.pending(), estimated)).toBe('Card≈ $44.04All costs includedPay by card')
  expect(row(cardSession('44.10'), estimated)).toBe('Card$44.10All costs includedPay by card')
})

test('behavior: while the payer pays by card, the summary is in that money', () => {
  const due = (order: Parameters<typeof show>[0], query: string) => {
    const screen = show(order, { query, methods: [card] })
    const text = screen.container.querySelector('.sum .amt')?.textContent
    screen.unmount()
    return text
  }
  expect(due(cardSession('44.04'), '?method=card')).toBe('$44.04')
  expect(due(orders.pending(), '?method=card')).toBe('$42.50')
  expect(due(orders.pending(), '?method=choose')).toBe('$42.5042.50 USDC · Base')
  // What is missing of a partly paid order is not its price.
  expect(due(orders.partial(), '?method=wallet')).toBe('≈ $22.5022.50 USDC · Base')
  expect(due(orders.partlySeen(), '?method=choose')).toBe('≈ $22.5022.50 USDC · Base')
  expect(due(orders.partlySeen(), '?method=card')).toBe('$22.50')
  expect(due(orders.pending({ price: undefined }), '?method=choose')).toBe('≈ $42.5042.50 USDC · Base')
})

test('behavior: in another currency the summary says what that is worth, and not the order’s price', () => {
  const dueIn = (name: string) => {
    const { container, unmount } = show(orders.recorded[name]!())
    const due = container.querySelector('.due .amt')?.textContent
    unmount()
    return due
  }
  expect(dueIn('04-address')).toBe('$42.5042.50 USDC · Base')
  expect(dueIn('04-native')).toBe('≈ $42.460.014231 ETH · Ethereum')
})

test('behavior: what the payer pays is said once it is chosen, and a wallet may pay in another token', () => {
  const labels = (query: string, order = orders.pending()) => {
    const screen = show(order, { query, methods: [...orders.paymentMethods, card] })
    const found = [...screen.container.querySelectorAll('aside dl.tot dt')].map((element) => element.textContent)
    screen.unmount()
    return found
  }
  for (const query of ['?method=choose', '?method=wallet', '?method=address&pick']) expect(labels(query), query).toEqual(['Total'])
  expect(labels('?method=card', cardSession('44.04'))).toEqual(['Total', 'You pay'])
  expect(labels('?method=address', orders.awaiting())).toEqual(['Total', 'You pay'])
})

test('behavior: only more than one of an item is counted', () => {
  const order = orders.pending()
  const items = [
    { name: 'Dripper', quantity: 1, description: 'Size 02' },
    { name: 'Filters', quantity: 3, description: 'Size 02' },
  ].map((item) => ({ ...item, unit_price: 1, currency: 'usd', image: undefined }))
  const screen = show({ ...order, metadata: { ...order.metadata!, items } })
  const lines = [...screen.container.querySelectorAll('aside .lines li')].map((element) => element.textContent)
  expect(lines).toEqual(['DripperSize 02$1.00', 'FiltersSize 02 · Quantity 3$3.00'])
})

test('behavior: the summary says once what has arrived', () => {
  for (const name of ['05-partial', '08c-expired-money']) {
    const screen = show(orders.recorded[name]!())
    const labels = [...screen.container.querySelectorAll('aside dl.tot dt')].map((element) => element.textContent)
    expect(new Set(labels).size, name).toBe(labels.length)
    expect(labels, name).toContain('Received')
    screen.unmount()
  }
})

test('behavior: the refund address can be given only until the first transfer is seen', () => {
  const fold = (order: Parameters<typeof show>[0]) => {
    const screen = show(order)
    const text = screen.queryByText('Refund address (optional)')?.textContent
    screen.unmount()
    return text
  }
  expect(fold(orders.recorded['04-address']!())).toBeDefined()
  expect(fold(orders.recorded['04-partly-seen']!())).toBeUndefined()
})

test('behavior: in a frame, every link to the shop opens in the whole tab', () => {
  for (const name of ['07-completed', '09-refunded', '09c-failed']) {
    for (const [surface, target] of [
      ['frame', '_top'],
      ['page', null],
    ] as const) {
      const screen = show(orders.recorded[name]!(), { surface })
      const links = [...screen.container.querySelectorAll('a[href^="https://northwind.example/thanks"]')]
      expect(links.length, name).toBeGreaterThan(0)
      for (const link of links) expect(link.getAttribute('target'), `${name} ${surface}`).toBe(target)
      screen.unmount()
    }
  }
})

test('behavior: the network fee is stated before the choice, for the requested chain', () => {
  const hint = (order: Parameters<typeof show>[0], query?: string) => {
    const screen = show(order, { query })
    const text = screen.getByText('Send to address').closest('.way')?.textContent
    screen.unmount()
    return text
  }
  expect(hint(orders.pending())).toContain('incl. $0.01 fees')
  // One network's fee must not be shown for another.
  expect(hint(orders.recorded['04-native']!(), '?method=choose')).toContain('Plus your network fee')
})

test('behavior: an unknown payment method is not offered', () => {
  const screen = show(orders.pending(), { methods: [...orders.paymentMethods, { method: 'BARTER', available: true }] })
  expect(screen.queryByText(/barter/i)).toBeNull()
})

test('error: when the methods cannot be read, the page says that nothing was paid and offers a retry or an address', () => {
  const screen = show(orders.pending(), { methods: undefined })
  expect(heading(screen)).toBe('We couldn’t load the ways to pay')
  expect(screen.getByText('Try again')).toBeTruthy()
})

test('default: paying: the whole amount, its address, a link back', () => {
  const screen = show(orders.awaiting())
  expect(heading(screen)).toBe('Send 42.50 USDC on Base')
  expect(document.querySelector('#address')?.textContent).toBe(orders.depositAddress)
  expect(screen.getByRole('link', { name: /Other ways to pay/ })).toBeTruthy()
  expect(screen.queryByRole('progressbar')).toBeNull()
})

test('behavior: after a part payment the rest is requested, and nothing else can be chosen', () => {
  const screen = show(orders.partial(), { query: '?method=choose' })
  expect(heading(screen)).toBe('Send the remaining 22.50 USDC on Base')
  expect(screen.getByRole('progressbar').getAttribute('aria-valuetext')).toBe('20.00 of 42.50 USDC on Base received')
  expect(screen.queryByRole('link', { name: /Other ways to pay/ })).toBeNull()
  expect(screen.getByRole('button', { name: 'Copy amount' }).getAttribute('data-copy')).toBe('22.50')
})

test('behavior: after a refund of a part, the page says what went back and asks for it again', () => {
  const order = orders.partial()
  const refunds = [{ amount: orders.units('10.00'), tx_hash: orders.hash, state: 'pending' }]
  const funding = { ...order.payment!.funding!, remaining_amount: orders.units('32.50') }
  const screen = show({ ...order, payment: { ...order.payment!, refunds, funding } })
  expect(heading(screen)).toBe('Send the remaining 32.50 USDC on Base')
  expect(screen.getByRole('button', { name: 'Copy amount' }).getAttribute('data-copy')).toBe('32.50')
  expect(screen.getByText('Refunded · on its way', { exact: false }).closest('li')?.textContent).toContain('10.00 USDC')
  expect(screen.container.textContent).not.toContain('What you sent is safe and counts.')
})

test('behavior: money seen but not confirmed is no longer due', () => {
  const screen = show(orders.partlySeen())
  expect(heading(screen)).toBe('Send the remaining 22.50 USDC on Base')
})

test('behavior: the time left counts the confirmations to come, and those of the settlement after them', () => {
  for (const [seen, left] of [
    [0, 'About 24 seconds left'],
    [7, 'About 17 seconds left'],
    [11, 'About 13 seconds left'],
  ] as const) {
    const screen = show(orders.confirming(seen))
    expect(screen.getByText(/left$/).textContent).toBe(left)
    screen.unmount()
  }
})

test('behavior: a transfer that vanishes brings the address back and explains it once', async () => {
  const screen = show(orders.confirming())
  expect(heading(screen)).toBe('Payment detected: 42.50 USDC on Base')
  screen.page.checkout.apply(orders.awaiting({}, { updated_at: '2026-05-12T14:06:00.000Z' }))
  await waitFor(() => expect(heading(screen)).toBe('Send 42.50 USDC on Base'))
  await waitFor(() => expect(screen.getByRole('status').textContent).toContain('no longer on the network'))
})

test('behavior: the timer is hidden above five minutes, shown below, announced at its marks, and over at the end', async () => {
  const screen = show(orders.awaiting({ expires_at: new Date(orders.recordedNow + 320_000).toISOString() }))
  expect(screen.queryByRole('timer')).toBeNull()
  screen.pass(21_000)
  await waitFor(() => expect(screen.getByRole('timer').textContent).toBe('Price held for 4:59'))
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('The price is held for 4:59 more.'))
  screen.pass(60_000)
  await waitFor(() => expect(screen.getByRole('timer').textContent).toContain('3:59'))
  expect(screen.getByRole('status').textContent).toBe('The price is held for 4:59 more.')
  screen.pass(180_000)
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('The price is held for 0:59 more.'))
  screen.pass(60_000)
  await waitFor(() => expect(screen.queryByRole('timer')).toBeNull())
  expect(screen.getByText('The price has expired. Anything you sent still counts.')).toBeTruthy()
})

test.each([
  [new ApiError(0, 'gone'), 'That didn’t work. Nothing has changed. Try again.'],
  [new ApiError(503, 'busy'), 'That didn’t work. Nothing has changed. Try again.'],
  [new ApiError(429, 'slower'), 'That was a little too often. Wait a moment, then try again.'],
  [new ApiError(422, 'This order takes no payment now.'), 'This order takes no payment now.'],
])('error: %s is reported where it was requested', async (error, text) => {
  const screen = show(orders.pending(), { client: { requestPayment: () => Promise.reject(error) } })
  fireEvent.click(screen.getByRole('button', { name: /Send to address/ }))
  await waitFor(() => expect(screen.getByText(text)).toBeTruthy())
  expect(heading(screen)).toBe('How would you like to pay?')
})

test('default: the receipt contains what a payer is asked for later', () => {
  const screen = show(orders.overpaid())
  const receipt = screen.getByRole('region', { name: 'Receipt' }).textContent
  for (const fact of ['Northwind Coffee', 'NW-20418', '$42.50', 'USDC on Base', '50.00', '7.50', orders.hash])
    expect(receipt).toContain(fact)
  expect(receipt).toContain('7.50 USDC on Base · Held for you')
  screen.unmount()
  const refunds = [{ amount: orders.units('7.50'), currency: orders.usdc, tx_hash: orders.hash, state: 'confirmed' }]
  const { payment, ...order } = orders.overpaid()
  const returned = show({ ...order, payment: { ...payment!, refunds } }).getByRole('region', { name: 'Receipt' })
  expect(returned.textContent).toContain('7.50 USDC on Base · Refunded')
})

test('behavior: of several transactions the receipt says how much each brought', () => {
  const { payment, ...order } = orders.completed()
  const [first] = orders.partial().payment!.funding!.transactions!
  const [whole] = payment!.funding!.transactions!
  const both = { ...payment!, funding: { ...payment!.funding!, transactions: [first!, { ...whole!, amount: orders.units('30.00') }] } }
  const several = show({ ...order, payment: both }).getByRole('region', { name: 'Receipt' }).textContent
  expect(several).toContain('Transaction · 12.50 USDC')
  expect(several).toContain('Transaction · 30.00 USDC')
})

test('behavior: a found transfer is announced as counting only if it counts', async () => {
  const find = { findTransaction: async () => ({ found: true, message: '' }) }
  const stray = show(orders.expired(), {
    client: { ...find, order: async () => ({ ...orders.expiredStray(), updated_at: '2026-05-12T14:33:00Z' }) },
  })
  await stray.page.checkout.find(orders.hash)
  await waitFor(() => expect(heading(stray)).toMatch(/^Your 42\.50 USDC arrived on Ethereum\./))
  expect(stray.queryByText(/It counts for this order/)).toBeNull()
  stray.unmount()
  const { payment, ...expired } = orders.expired()
  const held = { ...payment!, funding: { ...payment!.funding!, transactions: [orders.transfer('1.00', { state: 'held' })] } }
  const little = show(orders.expired(), {
    client: { ...find, order: async () => ({ ...expired, payment: held, updated_at: '2026-05-12T14:33:00Z' }) },
  })
  await little.page.checkout.find(orders.hash)
  await waitFor(() => expect(heading(little)).toBe('Time’s up. We’re holding what you sent.'))
  expect(little.queryByText(/It counts for this order/)).toBeNull()
  little.unmount()
  const late = show(orders.expired(), {
    client: { ...find, order: async () => orders.expiredWithMoney() },
  })
  await late.page.checkout.find(orders.hash)
  await waitFor(() => expect(late.getByText('Found. It counts for this order.')).toBeTruthy())
})

test('behavior: renders an order with only the required members and unknown statuses', () => {
  for (const status of ['PENDING', 'AWAITING_PAYMENT', 'PARTIAL_PAYMENT', 'EXPIRED', 'COMPLETED', 'FAILED', 'REFUNDED', 'UNDER_REVIEW']) {
    const screen = show(orders.bare(status))
    expect(heading(screen), status).toBeTruthy()
    screen.unmount()
  }
  expect(heading(show(orders.bare('UNDER_REVIEW')))).toBe('We’re checking on your order')
})

test('behavior: a refund reason is shown in the payer’s language or as the merchant wrote it, and a code is not shown', () => {
  const why = (reason: string | undefined) => {
    const order = orders.refunded()
    const screen = show({ ...order, payment: { ...order.payment!, refund: { ...order.payment!.refund!, reason } } })
    const text = screen.getByRole('heading', { level: 1 }).nextElementSibling?.textContent
    screen.unmount()
    return text
  }
  expect(why('price_moved')).toBe('The price moved too far to convert your payment, so it went back by itself.')
  expect(why('overpaid')).toBe('It was more than the order needed, so it went back by itself.')
  expect(why('The dripper is out of stock.')).toMatch(/returned your payment: “The dripper is out of stock\.”$/)
  expect(why('duplicate')).toMatch(/returned your payment: “duplicate”$/)
  for (const code of [undefined, 'settlement_failed', 'DUPLICATE_PAYMENT']) expect(why(code)).toMatch(/returned your payment\.$/)
})

test('behavior: an unsigned order names the receiving address and never the merchant, in any state', () => {
  for (const [name, order] of Object.entries(orders.recorded)) {
    if (name.startsWith('20-')) continue
    const screen = show(orders.byStranger(order()))
    const { textContent: text } = screen.container
    expect(text, name).not.toContain('Northwind')
    expect(screen.container.querySelector('aside .who')?.textContent, name).toBe('0x91D3…7D1CNot confirmed by a shop')
    // The whole address is there too, for payers who compare it.
    expect(screen.container.querySelector('aside .open')?.textContent, name).toContain('0x91D3e07a5BC284F6120e9dA37C48b5f06E2a7D1C')
    screen.unmount()
  }
  expect(titleOf(english, show(orders.byStranger(orders.pending())).page)).toBe('42.50 USDC on Base to 0x91D3…7D1C')
  const receipt = show(orders.byStranger(orders.completed()))
  expect(receipt.getByText('Paid to').parentElement?.textContent).toBe('Paid to0x91D3e07a5BC284F6120e9dA37C48b5f06E2a7D1C')
})

test('behavior: a moving price says until when it is held, and what it was before', async () => {
  const inEther = (ui: string, updated_at: string) => ({ ...orders.awaitingIn(orders.ether, orders.depositAddress, ui), updated_at })
  const { page, ...screen } = show(inEther('0.014231', '2026-05-12T14:02:00.000Z'))
  expect(screen.getByText('Price held until 14:32 UTC')).toBeDefined()
  page.checkout.apply(inEther('0.0145', '2026-05-12T14:05:00.000Z'))
  const text = 'The price has changed: it was 0.014231 ETH and is now 0.0145 ETH.'
  await waitFor(() => expect(screen.container.querySelector('.note')?.textContent).toBe(text))
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe(text))
  screen.unmount()
  expect(show(orders.awaiting()).queryByText(/Price held until/)).toBeNull()
})
