import * as fc from 'fast-check'
import type * as z from 'zod/mini'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { Order } from '../../src/wire/order.ts'
import { OrderRead, PaymentRead } from '../../src/wire/order-read.ts'
import { snapshot } from '../../server/orders/model/snapshot.ts'
import { bare, onWire, recorded } from '../support/orders/orders.ts'
import { awaiting, completed, payer } from '../orders/model/support.ts'

const members = [
  'mode',
  'created_by',
  'organization_id',
  'organization_name',
  'is_live',
  'hosted_url',
  'created_at',
  'updated_at',
  'fulfillment',
  'metadata',
  'payment',
  'settings',
] as const
const definedOf = (value: object): unknown => JSON.parse(JSON.stringify(value))
function whole(): unknown {
  const inner = awaiting({ metadata: { reference: 'NW-1', items: [{ name: 'Beans', quantity: 1, unit_price: 28.5 }] } }, payer)
  inner.pay(1100n)
  inner.settle()
  return JSON.parse(JSON.stringify(snapshot(inner.order)))
}

test('default: an id and a status are enough', () => {
  expect(OrderRead.parse({ id: 'ord_1', status: 'PENDING' })).toEqual({ id: 'ord_1', status: 'PENDING' })
  expect(OrderRead.parse(onWire(bare()))).toMatchObject({ id: 'ord_bare', status: 'PENDING' })
})

test('error: without id and status nothing is read', () => {
  for (const none of [{}, { id: 'ord_1' }, { status: 'PENDING' }, { id: 1, status: 'PENDING' }, null, [], 'order'])
    expect(OrderRead.safeParse(none).success).toBe(false)
})

test('behavior: unknown statuses, modes, steps and members are accepted', () => {
  const order = OrderRead.parse({
    id: 'ord_1',
    status: 'UNDER_REVIEW',
    mode: 'LEASE',
    novel: { deep: 1 },
    payment: {
      steps: [
        { kind: 'carrier_pigeon', data: { wings: 2 } },
        { kind: 'deposit', data: { deposit_address: '0x1', amount: '5' } },
      ],
    },
  })
  expect(order).toMatchObject({ status: 'UNDER_REVIEW' })
  expect(order).not.toHaveProperty('novel')
  expect(order.payment?.steps).toMatchObject([
    { kind: 'carrier_pigeon' },
    { kind: 'deposit', data: { deposit_address: '0x1', amount: '5' } },
  ])
})

test('behavior: one unreadable item of a list leaves the others', () => {
  const amount = { raw: '5', ui: '5' }
  const order = OrderRead.parse({
    id: 'ord_1',
    status: 'PARTIAL_PAYMENT',
    payment: { funding: { required_amount: amount, transactions: [{ amount, tx_hash: '0x1' }, { amount: 'much', tx_hash: '0x2' }, null] } },
  })
  expect(order.payment?.funding?.transactions).toHaveLength(1)
})

test('behavior: a currency of an unknown chain is read', () => {
  const asset = { address: null, chain_id: 999, decimals: 18, symbol: 'NEW' }
  expect(OrderRead.parse({ id: 'ord_1', status: 'PENDING', fulfillment: { asset } }).fulfillment?.asset).toEqual(asset)
})

describe('garbage', () => {
  test('behavior: in an optional member is treated as absent', () => {
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.anything(), (member, garbage) => {
        const read = OrderRead.parse({ id: 'ord_1', status: 'PENDING', [member]: garbage })
        expect(read).toMatchObject({ id: 'ord_1', status: 'PENDING' })
      }),
      { numRuns: 1000 },
    )
  })

  test('behavior: anywhere in a whole order never throws', () => {
    const order = whole()
    const paths = pathsOf(order).filter((path) => path[0] !== 'id' && path[0] !== 'status')
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.anything(), (path, garbage) => {
        expect(OrderRead.parse(replaced(order, path, garbage))).toMatchObject({ id: 'ord_1', status: 'COMPLETED' })
      }),
      { numRuns: 1000 },
    )
  })

  test('behavior: anywhere in a payment never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('steps', 'funding', 'input', 'refund', 'refunds', 'surplus', 'expires_at'),
        fc.anything(),
        (member, garbage) => {
          expect(PaymentRead.safeParse({ [member]: garbage }).success).toBe(true)
        },
      ),
    )
  })
})

describe('the service’s own orders', () => {
  test('behavior: have the type that the page reads', () => {
    expectTypeOf<Order>().toExtend<z.input<typeof OrderRead>>()
  })

  test('behavior: lose nothing in the reader', () => {
    for (const order of [awaiting(), completed(), completed(payer, 1100n)].map((inner) => snapshot(inner.order))) {
      const wire: unknown = JSON.parse(JSON.stringify(order))
      const read = OrderRead.parse(wire)
      expect(Order.parse(wire)).toEqual(wire)
      expect(read.payment?.funding).toEqual(
        order.payment?.funding &&
          JSON.parse(
            JSON.stringify(order.payment.funding, (key, value) => (key === 'id' || key === 'transactions_total' ? undefined : value)),
          ),
      )
      expect(read.metadata).toEqual(order.metadata)
      const { hide_footer, logo_url, return_url } = order.settings
      expect(read.settings).toEqual(definedOf({ hide_footer, logo_url, return_url }))
      expect(read.payment?.steps).toHaveLength(order.payment?.steps.length ?? 0)
    }
  })

  test('behavior: read the same after a second pass', () => {
    for (const [name, order] of Object.entries(recorded)) {
      const read = OrderRead.parse(onWire(order()))
      expect(read, name).toMatchObject({ id: order().id, status: order().status })
      expect(OrderRead.parse(read), name).toEqual(read)
    }
  })
})

type Path = readonly (string | number)[]

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Array.isArray(value)
    ? value.map((inner, index) => pathsOf(inner, [...path, index]))
    : Object.entries(value).map(([key, inner]) => pathsOf(inner, [...path, key]))
  return [...(path.length > 0 ? [path] : []), ...inner.flat()]
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((inner: unknown, index) => (index === key ? replaced(inner, rest, by) : inner))
  const object = value as Record<string, unknown>
  return { ...object, [key]: replaced(object[key], rest, by) }
}
