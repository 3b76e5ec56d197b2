import { expect, test } from 'vitest'
import { stepOf } from '../../src/order/step.ts'
import { isClosedUnpaid } from '../../src/screens/invoice/closed-invoice.tsx'
import type { InvoiceSheet } from '../../src/wire/boot.ts'
import { noChoice } from '../../src/wire/choice.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

const party = { name: 'Northwind Coffee', email: 'help@northwind.example', address: [] }
const sheet: InvoiceSheet = {
  no: 'NW-20418',
  closed: true,
  overdue: false,
  date: '2026-05-12',
  due_date: '2026-05-26',
  from: party,
  to: party,
  unit: 'usd',
  lines: [],
  taxes: [],
  subtotal: '42.50',
  total: '42.50',
}
const isClosed = (order: OrderRead, choice = noChoice) => isClosedUnpaid(sheet, order, stepOf(order, choice, orders.recordedNow), choice)

test('default: a closed invoice asks for nothing until somebody chooses to pay it', () => {
  expect(isClosed(orders.pending())).toBe(true)
  expect(isClosed(orders.awaiting())).toBe(true)
  expect(isClosed(orders.expired())).toBe(true)
  expect(isClosed(orders.awaiting(), { method: 'choose', pick: false })).toBe(false)
})

test('behavior: once any money has come that did not go back, the page says where it is', () => {
  for (const make of [orders.partial, orders.confirming, orders.wrongChain, orders.wrongToken, orders.expiredStray])
    expect(isClosed(make()), make.name).toBe(false)
  const { payment, ...order } = orders.wrongChain()
  const transactions = payment!.funding!.transactions!.map((transfer) => ({ ...transfer, state: 'refunded' }))
  expect(isClosed({ ...order, payment: { ...payment!, funding: { ...payment!.funding!, transactions } } })).toBe(true)
})
