import { expect, test } from 'vitest'
import { orderStatuses, type OrderStatus } from '../../src/wire/order.ts'
import { invoiceStatus } from '../../server/invoices/invoice-status.ts'
import type { Order } from '../../server/orders/model/order.ts'
import { quoteOf, t0, usdc } from '../orders/model/support.ts'

const due = Date.parse('2026-05-26')
const hour = 3_600_000
const invoice = (more: { published?: boolean; archived?: boolean } = {}) => ({
  publishedAt: more.published === false ? undefined : new Date(t0),
  archivedAt: more.archived ? new Date(t0) : undefined,
  data: {
    from: { email: 'billing@northwind.example', name: 'Northwind Coffee' },
    recipient: { email: 'accounts@harbour.example', name: 'Harbour Studio' },
    invoice: { no: 'NW-1', date: '2026-05-12', due_date: '2026-05-26' },
    items: [{ name: 'Coffee', quantity: '1', unitPrice: '25' }],
  },
})

const transfer = { key: '1', asset: usdc, amount: 500n, state: 'confirmed', seenAt: t0 }
/** The status depends on these members of an order alone. */
const order = (status: OrderStatus, more: object = {}) =>
  ({
    id: 'ord_1',
    status,
    quotes: [quoteOf()],
    activeQuote: 0,
    transfers: [],
    refunds: [],
    terms: { toleranceBps: 0 },
    ...more,
  }) as never as Order

test('default: an invoice is a draft, then open, overdue once its day has ended everywhere, and closed if it is archived unpaid', () => {
  expect(invoiceStatus(invoice({ published: false }), [], due)).toBe('draft')
  for (const status of ['PENDING', 'AWAITING_PAYMENT', 'EXPIRED'] as const) {
    expect(invoiceStatus(invoice(), [order(status)], due + 36 * hour - 1)).toBe('open')
    expect(invoiceStatus(invoice(), [order(status)], due + 36 * hour)).toBe('overdue')
    expect(invoiceStatus(invoice({ archived: true }), [order(status)], due + 36 * hour)).toBe('closed')
  }
})

test('behavior: once there is money its status is that of the money, whatever the date and whether it is archived', () => {
  const expected: Partial<Record<OrderStatus, string>> = {
    AWAITING_CONFIRMATION: 'processing',
    OPTIMISTIC_CONFIRMED: 'processing',
    EXECUTING_ORDER: 'processing',
    FAILED: 'processing',
    PARTIAL_PAYMENT: 'partly_paid',
    COMPLETED: 'paid',
    REFUNDED: 'refunded',
  }
  for (const archived of [false, true])
    for (const status of orderStatuses)
      if (expected[status]) expect(invoiceStatus(invoice({ archived }), [order(status)], due + 99 * hour)).toBe(expected[status])
})

test('behavior: an expired order that keeps a part of the money leaves the invoice partly paid, and a signed payment alone does not', () => {
  expect(invoiceStatus(invoice(), [order('EXPIRED', { transfers: [transfer] })], due)).toBe('partly_paid')
  expect(invoiceStatus(invoice(), [order('AWAITING_PAYMENT', { claimedQuote: 0 })], due)).toBe('open')
})

test('behavior: whichever of its orders is completed pays the invoice', () => {
  const first = order('EXPIRED', { transfers: [transfer] })
  expect(invoiceStatus(invoice(), [first, order('COMPLETED', { id: 'ord_2' })], due)).toBe('paid')
  expect(invoiceStatus(invoice(), [order('COMPLETED'), order('EXPIRED', { id: 'ord_2', supersededBy: 'ord_1' })], due)).toBe('paid')
})
