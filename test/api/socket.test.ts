import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSocket } from '../../src/api/socket.ts'
import * as orders from '../support/orders/orders.ts'

class Line {
  static all: Line[] = []
  sent: unknown[] = []
  closed = false
  onopen?: () => void
  onclose?: () => void
  onerror?: () => void
  onmessage?: (event: { data: unknown }) => void
  constructor() {
    Line.all.push(this)
  }
  send(text: string) {
    this.sent.push(JSON.parse(text))
  }
  close() {
    this.closed = true
  }
  says(frame: unknown) {
    this.onmessage?.({ data: JSON.stringify(frame) })
  }
  subscribes() {
    this.onopen?.()
    this.says({ type: 'connected', data: { status: 'authenticated' } })
    this.says({ type: 'subscription', data: { order_id: 'ord_1', scope: 'order', status: 'subscribed' } })
  }
}

const last = () => Line.all.at(-1)!
function start() {
  const heard: string[] = []
  const socket = openSocket({
    open: () => new Line() as unknown as WebSocket,
    random: () => 0.5,
    url: 'ws://x/ws',
    key: 'pk',
    orderId: 'ord_1',
    onUp: () => heard.push('up'),
    onDown: () => heard.push('down'),
    onOrder: (order) => heard.push(order.status),
  })
  return { socket, heard }
}

beforeEach(() => {
  Line.all = []
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

test('default: connects, subscribes and emits events; unknown messages are dropped', () => {
  const { heard } = start()
  last().subscribes()
  expect(last().sent).toEqual([
    { type: 'connect', data: { api_key: 'pk' } },
    { type: 'subscribe', data: { order_id: 'ord_1' } },
  ])
  for (const odd of [{ type: 'gossip' }, 'x', null, { type: 'event', data: { event: 'NEW', order: { nothing: true } } }]) last().says(odd)
  last().onmessage?.({ data: '{broken' })
  last().says({ type: 'event', data: { event: 'ORDER_SOMETHING_NEW', order: orders.onWire({ ...orders.awaiting(), id: 'ord_1' }) } })
  last().says({ type: 'event', data: { event: 'ORDER_COMPLETED', order: orders.onWire({ ...orders.completed(), id: 'another' }) } })
  expect(heard).toEqual(['up', 'AWAITING_PAYMENT'])
})

test('behavior: every close is followed by a reconnect with growing back-off, and by a new subscription', () => {
  const { heard } = start()
  for (const wait of [500, 1000, 2000, 4000, 8000, 15000, 15000]) {
    const count = Line.all.length
    last().onclose?.()
    vi.advanceTimersByTime(wait * 0.75 - 1)
    expect(Line.all.length).toBe(count)
    vi.advanceTimersByTime(2)
    expect(Line.all.length).toBe(count + 1)
  }
  last().subscribes()
  last().onclose?.()
  vi.advanceTimersByTime(400)
  last().subscribes()
  expect(heard).toEqual(['up', 'down', 'up'])
})

test('behavior: 40 s of silence end a connection, but only one whose server sends pings', () => {
  start()
  last().subscribes()
  vi.advanceTimersByTime(200_000)
  expect(Line.all.length).toBe(1)
  last().says({ type: 'ping' })
  vi.advanceTimersByTime(39_000)
  expect(Line.all.length).toBe(1)
  vi.advanceTimersByTime(3_000)
  expect(Line.all.length).toBe(2)
  expect(Line.all[0]!.closed).toBe(true)
})

test('behavior: a connection that never opens times out, waking up reconnects at once, a pause does not reconnect', () => {
  const { socket } = start()
  vi.advanceTimersByTime(11_000)
  expect(Line.all.length).toBe(2)
  last().onclose?.()
  socket.hurry()
  expect(Line.all.length).toBe(3)
  last().subscribes()
  socket.pause()
  vi.advanceTimersByTime(100_000)
  expect(Line.all.length).toBe(3)
  socket.hurry()
  expect(Line.all.length).toBe(4)
})
