import { signal } from '@preact/signals'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import { createConnection } from '../../src/model/connection.ts'
import { followOrder } from '../../src/model/follow-order.ts'
import { noChoice } from '../../src/wire/choice.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import { stepOf } from '../../src/order/step.ts'
import * as orders from '../support/orders/orders.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Follows an order with a fake network, clock and browser state. */
function start(order = orders.awaiting()) {
  const connection = createConnection()
  const network = { up: true, reads: 0, answer: Promise.resolve() }
  const applied: string[] = []
  const socket: { up(): void; down(): void; order(order: OrderRead): void } = { up: () => {}, down: () => {}, order: () => {} }
  const browser = { wake: () => {}, sleep: () => {}, offline: () => {} }
  const calls: string[] = []
  const stop = followOrder(
    {
      connection,
      clock: { now: signal(orders.recordedNow) },
      checkout: {
        step: signal(stepOf(order, noChoice, orders.recordedNow)),
        apply: (order) => void applied.push(order.id),
        refresh: async () => {
          network.reads++
          await network.answer
          if (!network.up) throw new ApiError(0, 'offline')
        },
      },
    },
    {
      random: () => 0.5,
      openSocket: (on) => {
        Object.assign(socket, on)
        return { reconnectNow: () => calls.push('reconnect'), pause: () => calls.push('pause'), stop: () => calls.push('stop') }
      },
      onWake: (wake, sleep, offline) => {
        Object.assign(browser, { wake, sleep, offline })
        return () => calls.push('unwake')
      },
    },
  )
  return { connection, network, applied, socket, browser, calls, stop }
}

test('default: reads when subscribed, then every half minute', async () => {
  const { network, socket, connection } = start()
  socket.up()
  await vi.advanceTimersByTimeAsync(0)
  expect(network.reads).toBe(1)
  await vi.advanceTimersByTimeAsync(90_000)
  expect(network.reads).toBe(4)
  expect(connection.state.value).toEqual({ at: 'live' })
})

test('behavior: when the browser reports offline and never online again, it recovers within seconds', async () => {
  const { network, socket, browser, connection } = start()
  socket.up()
  await vi.advanceTimersByTimeAsync(0)
  network.up = false
  browser.offline()
  expect(connection.state.value).toEqual({ at: 'lost', since: orders.recordedNow })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(connection.state.value.at).toBe('lost')
  network.up = true
  await vi.advanceTimersByTimeAsync(6_000)
  expect(connection.state.value).toEqual({ at: 'live' })
})

test('behavior: an answer that was on its way when the connection was lost is no sign of life', async () => {
  const { network, socket, browser, connection } = start()
  let answer = () => {}
  network.answer = new Promise((resolve) => (answer = resolve))
  socket.up()
  browser.offline()
  answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(connection.state.value.at).toBe('lost')
  await vi.advanceTimersByTimeAsync(3_000)
  expect(network.reads).toBe(2)
  expect(connection.state.value).toEqual({ at: 'live' })
})

test('behavior: a paid order is not read at intervals, unless the connection was lost and has to be found again', async () => {
  const { network, socket, browser, connection } = start(orders.completed())
  socket.up()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(network.reads).toBe(1)
  browser.offline()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(connection.state.value).toEqual({ at: 'live' })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(network.reads).toBe(2)
})

test('behavior: a socket event counts as a sign of life', async () => {
  const { socket, browser, connection, applied } = start()
  socket.up()
  await vi.advanceTimersByTimeAsync(0)
  browser.offline()
  socket.order(orders.awaiting())
  expect(applied).toEqual([orders.awaiting().id])
  expect(connection.state.value).toEqual({ at: 'live' })
})

test('behavior: without a socket it polls with back-off, and one failure is enough to report a lost connection', async () => {
  const { network, socket, connection } = start()
  socket.up()
  await vi.advanceTimersByTimeAsync(0)
  network.up = false
  socket.down()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(connection.state.value.at).toBe('lost')
  network.reads = 0
  await vi.advanceTimersByTimeAsync(60_000)
  expect(network.reads).toBeGreaterThanOrEqual(3)
  expect(network.reads).toBeLessThan(10)
})

test('behavior: waking up reads at once and reconnects the socket, and a sleeping page reads nothing', async () => {
  const { network, socket, browser, calls } = start()
  socket.up()
  await vi.advanceTimersByTimeAsync(0)
  browser.sleep()
  network.reads = 0
  await vi.advanceTimersByTimeAsync(600_000)
  expect([network.reads, calls]).toEqual([0, ['pause']])
  browser.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect([network.reads, calls]).toEqual([1, ['pause', 'reconnect']])
})

test('behavior: after it stops, no timer or listener is left that would read', async () => {
  const { network, calls, stop } = start()
  stop()
  network.reads = 0
  await vi.advanceTimersByTimeAsync(600_000)
  expect([network.reads, calls]).toEqual([0, ['unwake', 'stop']])
})
