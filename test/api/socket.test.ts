import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSocket } from '../../src/api/socket.ts'
import * as orders from '../support/orders/orders.ts'

class FakeSocket {
  static all: FakeSocket[] = []
  sent: unknown[] = []
  closed = false
  onopen?: () => void
  onclose?: () => void
  onerror?: () => void
  onmessage?: (event: { data: unknown }) => void
  constructor() {
    FakeSocket.all.push(this)
  }
  send(text: string) {
    this.sent.push(JSON.parse(text))
  }
  close() {
    this.closed = true
  }
  deliver(frame: unknown) {
    this.onmessage?.({ data: JSON.stringify(frame) })
  }
  subscribes() {
    this.onopen?.()
    this.deliver({ type: 'connected', data: { status: 'authenticated' } })
    this.deliver({ type: 'subscription', data: { order_id: 'ord_1', scope: 'order', status: 'subscribed' } })
  }
}

const last = () => FakeSocket.all.at(-1)!
function start() {
  const events: string[] = []
  const socket = openSocket({
    open: () => new FakeSocket() as unknown as WebSocket,
    random: () => 0.5,
    url: 'ws://x/ws',
    key: 'pk',
    orderId: 'ord_1',
    onUp: () => events.push('up'),
    onDown: () => events.push('down'),
    onOrder: (order) => events.push(order.status),
  })
  return { socket, events }
}

beforeEach(() => {
  FakeSocket.all = []
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

test('default: connects, subscribes and emits events; unknown messages are dropped', () => {
  const { events } = start()
  last().subscribes()
  expect(last().sent).toEqual([
    { type: 'connect', data: { api_key: 'pk' } },
    { type: 'subscribe', data: { order_id: 'ord_1' } },
  ])
  for (const odd of [{ type: 'gossip' }, 'x', null, { type: 'event', data: { event: 'NEW', order: { nothing: true } } }])
    last().deliver(odd)
  last().onmessage?.({ data: '{broken' })
  last().deliver({ type: 'event', data: { event: 'ORDER_SOMETHING_NEW', order: orders.onWire({ ...orders.awaiting(), id: 'ord_1' }) } })
  last().deliver({ type: 'event', data: { event: 'ORDER_COMPLETED', order: orders.onWire({ ...orders.completed(), id: 'another' }) } })
  expect(events).toEqual(['up', 'AWAITING_PAYMENT'])
})

test('behavior: every close is followed by a reconnect with growing back-off, and by a new subscription', () => {
  const { events } = start()
  for (const wait of [500, 1000, 2000, 4000, 8000, 15000, 15000]) {
    const count = FakeSocket.all.length
    last().onclose?.()
    vi.advanceTimersByTime(wait * 0.75 - 1)
    expect(FakeSocket.all.length).toBe(count)
    vi.advanceTimersByTime(2)
    expect(FakeSocket.all.length).toBe(count + 1)
  }
  last().subscribes()
  last().onclose?.()
  vi.advanceTimersByTime(400)
  last().subscribes()
  expect(events).toEqual(['up', 'down', 'up'])
})

test('behavior: 40 s of silence end a connection, but only one whose server sends pings', () => {
  start()
  last().subscribes()
  vi.advanceTimersByTime(200_000)
  expect(FakeSocket.all.length).toBe(1)
  last().deliver({ type: 'ping' })
  vi.advanceTimersByTime(39_000)
  expect(FakeSocket.all.length).toBe(1)
  vi.advanceTimersByTime(3_000)
  expect(FakeSocket.all.length).toBe(2)
  expect(FakeSocket.all[0]!.closed).toBe(true)
})

test('behavior: a connection that never opens times out, waking up reconnects at once, a pause does not reconnect', () => {
  const { socket } = start()
  vi.advanceTimersByTime(11_000)
  expect(FakeSocket.all.length).toBe(2)
  last().onclose?.()
  socket.reconnectNow()
  expect(FakeSocket.all.length).toBe(3)
  last().subscribes()
  socket.pause()
  vi.advanceTimersByTime(100_000)
  expect(FakeSocket.all.length).toBe(3)
  socket.reconnectNow()
  expect(FakeSocket.all.length).toBe(4)
})
