import { act, fireEvent, waitFor } from '@testing-library/preact'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import { methods } from '../../src/methods/methods.ts'
import { rests } from '../../src/methods/rests.ts'
import * as orders from '../support/orders/orders.ts'
import { show } from './support.tsx'

/** Lazy-loaded scripts of a screen, and how it behaves while they are missing. */

afterEach(() => void vi.restoreAllMocks())

const gone = new TypeError('Failed to fetch dynamically imported module')
const wallet = methods.find(({ slug }) => slug === 'wallet')!
const Arrived = () => <h1>Here it is</h1>

test('error: a method whose script fails to load says so, and its retry link reloads the page', async () => {
  vi.spyOn(wallet, 'load').mockRejectedValue(gone)
  const screen = show(orders.pending(), { query: '?method=wallet' })
  await waitFor(() => expect(screen.getByText(/^That didn’t work/)).toBeTruthy())
  expect(screen.getByRole('link', { name: 'Try again' }).getAttribute('href')).toBe('/pay/x?method=wallet')
  expect(screen.getByRole('link', { name: 'Other ways to pay' })).toBeTruthy()
})

test('behavior: returning to a method whose script failed to load loads it again', async () => {
  vi.spyOn(wallet, 'load')
    .mockRejectedValueOnce(gone)
    .mockResolvedValue({ methodPart: () => Arrived })
  const screen = show(orders.pending(), { query: '?method=wallet' })
  await waitFor(() => expect(screen.getByText(/^That didn’t work/)).toBeTruthy())
  screen.page.checkout.choose({ method: 'choose', pick: false })
  await waitFor(() => expect(screen.getByText('How would you like to pay?')).toBeTruthy())
  screen.page.checkout.choose({ method: 'wallet', pick: false })
  await waitFor(() => expect(screen.getByText('Here it is')).toBeTruthy())
})

test('error: when the later screens fail to load, the page says so and offers a retry', async () => {
  const screen = show(orders.expired(), { secondary: () => Promise.reject(gone) })
  await waitFor(() => expect(screen.getByText(/^That didn’t work/)).toBeTruthy())
  expect(screen.getByRole('link', { name: 'Try again' }).getAttribute('href')).toBe('/pay/x')
})

test('error: paying the rest by wallet leaves the address at once, and leads back to it, also when its script fails to load', async () => {
  let fail!: (why: Error) => void
  vi.spyOn(rests[0]!, 'load').mockReturnValueOnce(new Promise((_, reject) => (fail = reject)))
  const screen = show(orders.partial())
  fireEvent.click(screen.getByRole('button', { name: 'Pay the rest from a wallet' }))
  await waitFor(() => expect(screen.getByRole('heading', { name: 'Loading' })).toBe(document.activeElement))
  expect(screen.queryByText('Copy address')).toBeNull()
  fail(gone)
  await waitFor(() => expect(screen.getByText(/^That didn’t work/)).toBeTruthy())
  expect(screen.getByRole('link', { name: 'Try again' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Back to the address' }))
  await waitFor(() => expect(screen.getByText('Copy address')).toBeTruthy())
  expect(screen.getByRole('button', { name: 'Pay the rest from a wallet' })).toBe(document.activeElement)
})

test('error: when the API client fails to load, the connection is lost and the retry reloads the page', async () => {
  const screen = show(orders.awaiting())
  screen.page.connection.giveUp(orders.recordedNow)
  await waitFor(() => expect(screen.getByText('Connection lost. Your payment is safe.')).toBeTruthy())
  expect(screen.getByRole('link', { name: 'Try again' }).getAttribute('href')).toBe('/pay/x')
})

test('behavior: without a connection, only a page with an address says that what is sent still arrives', () => {
  const said = /Anything you send now still arrives/
  for (const [asks, make, query] of [
    [true, orders.awaiting, ''],
    [true, orders.partial, ''],
    [false, orders.pending, ''],
    [false, orders.awaiting, '?method=wallet'],
    [false, orders.confirming, ''],
    [false, orders.completed, ''],
  ] as const) {
    const screen = show(make(), { query })
    act(() => screen.page.connection.lose(orders.recordedNow))
    expect(screen.getByText('Connection lost. Your payment is safe.')).toBeTruthy()
    expect(screen.queryByText(said) !== null, make.name).toBe(asks)
    screen.unmount()
  }
})

test('behavior: a picker without currencies fetches them, whether reached by a link to another token or by Back', async () => {
  const currencies = vi.fn(async () => [orders.usdc, orders.ether])
  const linked = show(orders.awaiting(), { query: '?method=address&currency=1-native', client: { currencies } })
  // Without script the search is a form.
  expect(linked.getByRole('search')).toBeTruthy()
  await waitFor(() => expect(linked.getByRole('button', { name: /ETH/ })).toBeTruthy())
  linked.unmount()
  const back = show(orders.awaiting(), { query: '?method=address', client: { currencies } })
  back.page.checkout.restore({ method: 'address', pick: true, query: 'eth' })
  await waitFor(() => expect(back.getByRole('button', { name: /ETH/ })).toBeTruthy())
  expect(currencies.mock.lastCall).toEqual([orders.awaiting().id, ['eth']])
  expect(currencies).toHaveBeenCalledTimes(2)
})

test('behavior: the list says that an amount above the price is one with fees, and the screen with the address what it is for', () => {
  const fee = { amount: 0.42, unit: 'USD', chain_id: 1 }
  const dear = { ...orders.usdt, payable: true, amount: orders.units('43.06') }
  const rowOf = (currency: NonNullable<Parameters<typeof show>[1]>['currencies']) => {
    const screen = show(orders.awaiting(), { query: '?method=address&pick', currencies: currency })
    const text = screen.getByRole('button', { name: /Tether/ }).textContent
    screen.unmount()
    return text
  }
  expect(rowOf([dear])).toMatch(/43\.06 USDTTether USD≈ \$43\.06 with feesPlus your network fee$/)
  expect(rowOf([{ ...dear, network_fee: fee }])).toMatch(/43\.06 USDTTether USD≈ \$43\.48 with fees$/)
  expect(rowOf([{ ...dear, amount: orders.units('42.50') }])).toMatch(/42\.50 USDTTether USD≈ \$42\.50Plus your network fee$/)
  const own = show(orders.awaiting(), {
    query: '?method=address&pick',
    currencies: [{ ...orders.usdc, payable: true, amount: orders.units('43.46') }],
  })
  expect(own.getByRole('button', { name: /USD Coin/ }).textContent).toMatch(/43\.46 USDCUSD Coin≈ \$43\.46 with feesPlus your network fee$/)
  own.unmount()
  // An estimate is no price.
  expect(rowOf([{ ...orders.usdt, payable: true, price_usd: 0.5 }])).toMatch(/≈ 85\.00 USDTTether USD≈ \$42\.50Plus your network fee$/)

  const side = (ui: string, currency: typeof orders.usdc) => ({ amount: orders.units(ui), currency })
  const quoted = (output: typeof orders.usdc) =>
    show(orders.awaiting({ input: side('43.06', orders.usdc), output: side('42.50', output) } as Parameters<typeof orders.awaiting>[0]))
  const converted = quoted(orders.usdt)
  expect(converted.container.querySelector('.card')!.textContent).toContain('Amount ≈ $42.5042.50 USDCIncludes $0.56 for conversion')
  converted.unmount()
  expect(quoted(orders.usdc).queryByText(/^Includes/)).toBeNull()
  // What the network asks beside the amount is said again where the amount is copied.
  const page = show(orders.awaiting(), { query: '?method=address' })
  expect(page.container.querySelector('.card')!.textContent).toContain('Amount ≈ $42.5042.50 USDCPlus about $0.01 network fee')
})

test('default: the cheapest comes first in the list and is named, and the order’s own network where a cost is unknown', () => {
  const priced = (currency: typeof orders.usdc | typeof orders.usdt, ui: string) => ({
    ...currency,
    payable: true,
    amount: orders.units(ui),
  })
  const fee = ({ chain_id }: { chain_id: number }) => ({ network_fee: { amount: 0.1, unit: 'USD', chain_id } })
  const listed = (currencies: NonNullable<Parameters<typeof show>[1]>['currencies']) => {
    const { container, unmount } = show(orders.awaiting(), { query: '?method=address&pick', currencies })
    const sections = [...container.querySelectorAll('main section')].map(({ textContent }) => textContent)
    unmount()
    return sections
  }
  const [cheap, own] = [priced(orders.usdt, '42.40'), priced(orders.usdc, '42.50')]
  expect(
    listed([
      { ...own, ...fee(own) },
      { ...cheap, ...fee(cheap) },
    ]),
  ).toEqual([expect.stringMatching(/USDT Ethereum Cheapest42\.40 USDT/), expect.stringContaining('USDC')])
  expect(listed([cheap, own])).toEqual([expect.stringContaining('USDC'), expect.stringContaining('USDT')])
})

test('behavior: a network with many tokens shows the first, and the others below some of their symbols, or all if one of those was chosen', () => {
  const token = (index: number) => ({ ...orders.usdt, address: `0x${String(index).padStart(40, '0')}`, symbol: `T${index}`, payable: true })
  const folded = (count: number, chosen?: number, query = '') => {
    const amount = orders.units('42.50')
    const quote = chosen && { input: { amount, currency: token(chosen) }, output: { amount, currency: orders.usdc } }
    const screen = show(orders.awaiting(quote as Parameters<typeof orders.awaiting>[0]), {
      query: `?method=address&pick${query}`,
      currencies: Array.from({ length: count }, (_, index) => token(index + 1)),
    })
    const fold = screen.container.querySelector<HTMLDetailsElement>('li > details')
    const shown = fold && {
      summary: fold.querySelector('summary')?.textContent,
      rows: fold.querySelectorAll('button').length,
      open: fold.open,
    }
    screen.unmount()
    return shown
  }
  expect(folded(4)).toBeNull()
  expect(folded(5)).toEqual({ summary: ' T4 T5', rows: 2, open: false })
  expect(folded(5, 1)?.open).toBe(false)
  expect(folded(5, 5)?.open).toBe(true)
  expect(folded(12)).toEqual({ summary: ' T4 T5 T6 T7+5', rows: 9, open: false })
  expect(folded(5, undefined, '&q=t')).toBeNull()

  // Where all costs are known, so is what the cheapest of the others costs.
  const costs = (currency: typeof orders.usdc | typeof orders.usdt, ui: string) => {
    const network_fee = { amount: 0.5, unit: 'USD', chain_id: currency.chain_id }
    return { ...currency, payable: true, amount: orders.units(ui), network_fee }
  }
  const currencies = [costs(orders.usdc, '42.50'), ...[5, 4, 3, 2, 1].map((index) => costs(token(index), `4${index}.00`))]
  const screen = show(orders.awaiting(), { query: '?method=address&pick', currencies })
  expect(screen.container.querySelector('li > details > summary')?.textContent).toBe(' T4 T5from ≈ $44.50')
})

test('behavior: opening the list fetches it once', async () => {
  const currencies = vi.fn(async () => [orders.usdc, orders.ether])
  const screen = show(orders.awaiting(), { query: '?method=address', client: { currencies } })
  fireEvent.click(screen.getByRole('link', { name: /Change/ }))
  await waitFor(() => expect(screen.getByRole('button', { name: /ETH/ })).toBeTruthy())
  expect(currencies).toHaveBeenCalledOnce()
})

test('behavior: a card page made while the connection was lost is offered when the order has it', async () => {
  const requestPayment = vi.fn(async () => {})
  const order = () => Promise.reject(new ApiError(0, 'gone'))
  const screen = show(orders.pending(), { query: '?method=card', client: { requestPayment, order } })
  await waitFor(() => expect(requestPayment).toHaveBeenCalledOnce())
  const data = { hosted_url: 'https://card.example/1', status: 'initialized' }
  screen.page.checkout.apply({
    ...orders.pending(),
    updated_at: '2026-05-12T14:10:00.000Z',
    payment: { ...orders.awaiting().payment!, steps: [{ kind: 'stripe_onramp', data }] },
  })
  await waitFor(() => expect(screen.container.querySelector('a[href="https://card.example/1"]')).toBeTruthy())
})

test('behavior: each copy is announced, also when the words are the same as before', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  const screen = show(orders.awaiting())
  const status = screen.container.querySelector('p[role=status]')!
  fireEvent.click(screen.getByRole('button', { name: 'Copy address' }))
  await waitFor(() => expect(status.textContent).toBe('Copied'))
  fireEvent.click(screen.getByRole('button', { name: 'Copy amount' }))
  await waitFor(() => expect(status.textContent).toBe('Copied\u00a0'))
})
