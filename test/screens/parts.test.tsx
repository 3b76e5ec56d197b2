import { fireEvent, waitFor } from '@testing-library/preact'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import { methods } from '../../src/methods/views.ts'
import * as orders from '../support/orders.ts'
import { show } from './support.tsx'

/** What a screen fetches for itself, and what it does while that does not come. */

afterEach(() => void vi.restoreAllMocks())

const gone = new TypeError('Failed to fetch dynamically imported module')
const wallet = methods.find(({ slug }) => slug === 'wallet')!
const Arrived = () => <h1>Here it is</h1>

test('error: a method whose part does not come is tried again, and the page is asked for anew while one waits for it', async () => {
  vi.useFakeTimers()
  const load = vi
    .spyOn(wallet, 'load')
    .mockRejectedValueOnce(gone)
    .mockResolvedValue(() => Arrived)
  const screen = show(orders.pending(), { query: '?method=wallet' })
  await vi.waitFor(() => expect(screen.page.renew).toHaveBeenCalledOnce())
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Loading')
  vi.advanceTimersByTime(2_000)
  vi.useRealTimers()
  await waitFor(() => expect(screen.getByText('Here it is')).toBeTruthy())
  expect(load).toHaveBeenCalledTimes(2)
})

test('behavior: whoever has left the method is not taken to a new page by it', async () => {
  let fail!: (why: Error) => void
  vi.spyOn(wallet, 'load').mockReturnValueOnce(new Promise((_, reject) => (fail = reject)))
  const screen = show(orders.pending(), { query: '?method=wallet' })
  await waitFor(() => expect(wallet.load).toHaveBeenCalledOnce())
  screen.page.checkout.choose({ method: 'choose', pick: false })
  await waitFor(() => expect(screen.getByText('How would you like to pay?')).toBeTruthy())
  vi.useFakeTimers()
  fail(gone)
  // Its failure has been dealt with when the next try is planned.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0))
  vi.useRealTimers()
  expect(screen.page.renew).not.toHaveBeenCalled()
})

test('error: the rest by wallet: a tap is seen, also when its part does not come', async () => {
  vi.useFakeTimers()
  vi.spyOn(wallet.rest!, 'load')
    .mockRejectedValueOnce(gone)
    .mockResolvedValue(() => Arrived)
  const screen = show(orders.partial())
  const button = screen.getByRole('button', { name: /wallet/i })
  fireEvent.click(button)
  await vi.waitFor(() => expect(button.querySelector('.spin')).toBeTruthy())
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await vi.waitFor(() => expect(screen.page.renew).toHaveBeenCalledOnce())
  vi.advanceTimersByTime(2_000)
  vi.useRealTimers()
  await waitFor(() => expect(screen.getByText('Here it is')).toBeTruthy())
})

test('behavior: a list without a list looks for one: by a link to another token, and by going back to it', async () => {
  const currencies = vi.fn(async () => [orders.usdc, orders.ether])
  const linked = show(orders.awaiting(), { query: '?method=address&currency=1-native', client: { currencies } })
  // Also without script there is a way to look.
  expect(linked.getByRole('search')).toBeTruthy()
  await waitFor(() => expect(linked.getByRole('button', { name: /ETH/ })).toBeTruthy())
  linked.unmount()
  const back = show(orders.awaiting(), { query: '?method=address', client: { currencies } })
  back.page.checkout.restore({ method: 'address', pick: true, query: 'eth' })
  await waitFor(() => expect(back.getByRole('button', { name: /ETH/ })).toBeTruthy())
  expect(currencies.mock.lastCall).toEqual([['eth']])
  expect(currencies).toHaveBeenCalledTimes(2)
})

test('behavior: who opens the list looks for it once', async () => {
  const currencies = vi.fn(async () => [orders.usdc, orders.ether])
  const screen = show(orders.awaiting(), { query: '?method=address', client: { currencies } })
  fireEvent.click(screen.getByRole('link', { name: /Change/ }))
  await waitFor(() => expect(screen.getByRole('button', { name: /ETH/ })).toBeTruthy())
  expect(currencies).toHaveBeenCalledOnce()
})

test('behavior: a card page that was made while nobody could tell is offered when the order has it', async () => {
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
