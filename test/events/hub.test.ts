import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHub, orderTopic, organizationTopic } from '../../server/events/hub.ts'
import type { LogEvent } from '../../server/events/log.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

let seq = 0
const event = (name: string, { orderId = 'o', socketOnly = false, unsigned = false, organizationId = 'org' } = {}): LogEvent => ({
  seq: ++seq,
  orderId,
  organizationId,
  event: name,
  socketOnly,
  unsigned,
  deliveredAt: new Date(),
  body: JSON.stringify({ event: name }),
})
const progress = (name: string, orderId = 'o') => event(name, { orderId, socketOnly: true })

function listener() {
  const frames: Buffer[] = []
  return {
    frames,
    names: () => frames.map((frame) => (JSON.parse(frame.toString()) as { data: { event: string } }).data.event),
    send: (frame: Buffer) => void frames.push(frame),
  }
}

function listening() {
  const hub = createHub()
  const subscriber = listener()
  hub.add(orderTopic('o'), subscriber)
  return { hub, subscriber }
}

test('default: each listener gets the same bytes, serialised once, and a listener to both topics gets them once', () => {
  const { hub, subscriber } = listening()
  const [all, both, outsider] = [listener(), listener(), listener()]
  hub.add(organizationTopic('org', false), all)
  hub.add(organizationTopic('org', false), both)
  hub.add(orderTopic('o'), both)
  hub.add(orderTopic('other'), outsider)
  hub.publish([event('ORDER_CREATED')])
  expect([subscriber.names(), all.names(), both.names(), outsider.names()]).toEqual([
    ['ORDER_CREATED'],
    ['ORDER_CREATED'],
    ['ORDER_CREATED'],
    [],
  ])
  expect(all.frames[0]).toBe(subscriber.frames[0])
  expect(both.frames[0]).toBe(subscriber.frames[0])
  expect(subscriber.frames[0]!.toString()).toBe('{"type":"event","data":{"event":"ORDER_CREATED"}}')
  hub.remove(orderTopic('o'), subscriber)
  hub.publish([event('ORDER_COMPLETED')])
  expect([subscriber.names().length, all.names().length]).toEqual([1, 2])
})

test('behavior: an unsigned order reaches its own listeners, and of the organisation’s only those that include unsigned orders', () => {
  const { hub, subscriber } = listening()
  const [signed, all] = [listener(), listener()]
  hub.add(organizationTopic('org', false), signed)
  hub.add(organizationTopic('org', true), all)
  hub.publish([event('ORDER_CREATED', { unsigned: true }), event('ORDER_COMPLETED')])
  expect(subscriber.names()).toEqual(['ORDER_CREATED', 'ORDER_COMPLETED'])
  expect(signed.names()).toEqual(['ORDER_COMPLETED'])
  expect(all.names()).toEqual(['ORDER_CREATED', 'ORDER_COMPLETED'])
})

test('behavior: events that are not progress are published immediately', () => {
  const { hub, subscriber } = listening()
  hub.publish([event('a'), event('b')])
  hub.publish([event('c')])
  expect(subscriber.names()).toEqual(['a', 'b', 'c'])
})

test('behavior: progress is published once a second per order, and the newest wins', () => {
  const { hub, subscriber } = listening()
  const other = listener()
  hub.add(orderTopic('p'), other)
  hub.publish([progress('1')])
  hub.publish([progress('2'), progress('3')])
  vi.advanceTimersByTime(300)
  hub.publish([progress('4'), progress('x', 'p')])
  expect([subscriber.names(), other.names()]).toEqual([['1'], ['x']])
  vi.advanceTimersByTime(699)
  expect(subscriber.names()).toEqual(['1'])
  vi.advanceTimersByTime(1)
  expect(subscriber.names()).toEqual(['1', '4'])
  hub.publish([progress('5')])
  vi.advanceTimersByTime(999)
  expect(subscriber.names()).toEqual(['1', '4'])
  vi.advanceTimersByTime(1)
  expect(subscriber.names()).toEqual(['1', '4', '5'])
  vi.advanceTimersByTime(5_000)
  hub.publish([progress('6')])
  expect(subscriber.names()).toEqual(['1', '4', '5', '6'])
})

test('behavior: another event replaces the pending progress and does not make progress more frequent', () => {
  const { hub, subscriber } = listening()
  hub.publish([progress('1'), progress('2'), event('LOUD'), progress('3')])
  expect(subscriber.names()).toEqual(['1', 'LOUD'])
  vi.advanceTimersByTime(1_000)
  expect(subscriber.names()).toEqual(['1', 'LOUD', '3'])
  hub.publish([event('LOUDER')])
  vi.advanceTimersByTime(10_000)
  expect(subscriber.names()).toEqual(['1', 'LOUD', '3', 'LOUDER'])
})

test('behavior: idle orders leave no state, and nothing is published after close', () => {
  const { hub, subscriber } = listening()
  hub.publish([progress('1'), progress('2')])
  hub.close()
  vi.advanceTimersByTime(10_000)
  expect(subscriber.names()).toEqual(['1'])
  expect(vi.getTimerCount()).toBe(0)
})
