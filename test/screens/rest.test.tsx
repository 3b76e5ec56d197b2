import { fireEvent, waitFor } from '@testing-library/preact'
import { expect, test, vi } from 'vitest'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'
import { show } from './support.tsx'

/** A payer who has sent a part, and sends the rest or wants the part back. */

const title = 'Can’t send the rest? Ask for your money back'
const foldOf = (screen: ReturnType<typeof show>) => screen.queryByText(title)?.closest('details')

const withRefund = (order: OrderRead, refund: NonNullable<NonNullable<OrderRead['payment']>['refund']>): OrderRead => ({
  ...order,
  payment: { ...order.payment!, refund },
})

test('behavior: whoever cannot send the rest asks for the part back, on the network where it is', async () => {
  const address = `0x${'ab'.repeat(20)}`
  const proposed = withRefund(orders.partial(), { proposed: [{ address, chain_id: 8453 }] })
  const requestPayment = vi.fn(async () => {})
  const screen = show(orders.partial(), { client: { requestPayment, order: async () => proposed } })
  const fold = foldOf(screen)!
  expect(fold.open).toBe(false)
  expect(fold.textContent?.replaceAll('\u00a0', ' ')).toContain('20.00 USDC on BaseIt goes back to you once Northwind Coffee agrees.')
  expect(fold.textContent).toContain('Contact Northwind Coffee')
  const field = screen.getByLabelText('Your address on Base')
  expect(fold.contains(field)).toBe(true)
  fireEvent.input(field, { target: { value: address } })
  fireEvent.submit(field.closest('form')!)
  const told = await screen.findByText(/We’ve given Northwind Coffee this address/)
  await waitFor(() => expect(document.activeElement).toBe(told.closest('[tabindex]')))
  expect(foldOf(screen)?.open).toBe(true)
  expect(requestPayment).toHaveBeenCalledExactlyOnceWith(
    orders.partial().id,
    expect.objectContaining({ currency: expect.objectContaining({ chain_id: 8453 }), refundAddress: address, isAlone: true }),
  )
})

test('behavior: no address is asked for where the order has one, or nobody who could agree, or stray money has asked already', () => {
  const forms = (order: OrderRead) => {
    const screen = show(order)
    const found = screen
      .queryAllByRole('button', { name: 'Ask for it back', hidden: true })
      .map((button) => foldOf(screen)?.contains(button))
    const asksShop = foldOf(screen)?.textContent?.includes('Contact Northwind Coffee') ?? false
    screen.unmount()
    return { found, asksShop }
  }
  expect(forms(orders.partial())).toEqual({ found: [true], asksShop: true })
  expect(forms(withRefund(orders.partial(), { address: `0x${'cd'.repeat(20)}` }))).toEqual({ found: [], asksShop: true })
  const { settings, ...byKey } = orders.byStranger(orders.partial())
  expect(forms({ ...byKey, settings: { ...settings, support_url: undefined } })).toEqual({ found: [], asksShop: false })
  const { payment, ...order } = orders.partial()
  const stray = orders.wrongChain().payment!.funding!.transactions!
  const funding = { ...payment!.funding!, transactions: [...payment!.funding!.transactions!, ...stray] }
  expect(forms({ ...order, payment: { ...payment!, funding } })).toEqual({ found: [false], asksShop: true })
})

test('default: the rest says what the network takes, and nothing of a conversion that the whole included', () => {
  const { textContent: text } = show(orders.partial()).container
  expect(text).toContain('Plus about $0.01 network fee')
  expect(text).not.toContain('for conversion')
})

test('behavior: once the rest is detected, each of its transfers is listed, and a single one by itself', () => {
  const { payment, ...order } = orders.confirming()
  const [transfer] = payment!.funding!.transactions!
  const first = { ...transfer!, tx_hash: `0x${'1'.repeat(64)}`, state: 'received' as const }
  const transactions = [first, transfer!]
  const screen = show({ ...order, payment: { ...payment!, funding: { ...payment!.funding!, transactions } } })
  const links = [...screen.container.querySelectorAll('li a')].map((link) => link.getAttribute('href'))
  expect(screen.container.querySelector('.due')?.textContent).toContain('$42.50')
  expect(screen.container.querySelector('.due')?.textContent).not.toContain('≈')
  expect(links).toEqual(transactions.map(({ tx_hash: hash }) => expect.stringContaining(hash)))
  expect(screen.queryByText('Transaction')).toBeNull()
  screen.unmount()
  const alone = show(orders.confirming())
  expect(alone.getByText('Transaction')).toBeTruthy()
  expect(alone.container.querySelector('li a')).toBeNull()
})
