import { ApiError } from '../api/api-error.ts'
import type { LiveSocket } from '../api/socket.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { Checkout } from './checkout.ts'
import type { Clock } from './clock.ts'
import type { Connection } from './connection.ts'
import { isFinal } from '../order/step.ts'

export interface FollowPorts {
  readonly openSocket: (on: { up: () => void; down: () => void; order: (order: OrderRead) => void }) => LiveSocket
  /** Registers the three callbacks (src/wake.ts) and returns a function that removes them. */
  readonly onWake: (wake: () => void, sleep: () => void, offline: () => void) => () => void
  readonly random: () => number
}

const poll = { first: 2_000, most: 20_000, whileLiveMs: 30_000 } as const

/** The socket may miss events, so the order is also fetched on every subscription and wake-up and, until it is final, at intervals. */
export const followOrder = (
  {
    checkout,
    clock,
    connection,
  }: {
    readonly checkout: Pick<Checkout, 'apply' | 'refresh' | 'step'>
    readonly clock: Pick<Clock, 'now'>
    readonly connection: Connection
  },
  { openSocket, onWake, random }: FollowPorts,
): (() => void) => {
  const ended = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let socketUp = false
  let lastRead = clock.now.peek()
  let reading: Promise<void> | undefined
  let losses = 0

  const lose = () => {
    losses++
    connection.lose(lastRead)
  }
  const regain = () => {
    lastRead = clock.now.peek()
    connection.regain()
  }
  const read = (): Promise<void> => {
    const lossesBefore = losses
    reading ??= checkout
      .refresh(ended.signal)
      .then(
        () => {
          failures = 0
          // An answer that was on its way when the connection was lost says nothing about the connection now.
          if (losses === lossesBefore) regain()
        },
        (error: unknown) => {
          if (!(error instanceof ApiError)) throw error
          failures++
          // While the socket seems open one failed request may be an accident, so only a second one counts as a lost connection.
          if (!socketUp || failures > 1) lose()
        },
      )
      .finally(() => {
        reading = undefined
        plan()
      })
    return reading
  }
  const plan = () => {
    clearTimeout(timer)
    const { at } = connection.state.peek()
    // A page that says the connection is lost keeps asking, even if the order needs nothing more.
    if (ended.signal.aborted || (isFinal(checkout.step.peek()) && at !== 'lost')) return
    const isSure = socketUp && failures === 0 && at === 'live'
    const wait = isSure ? poll.whileLiveMs : Math.min(poll.most, poll.first * 1.6 ** failures)
    timer = setTimeout(read, wait * (0.75 + random() / 2))
  }
  const socket = openSocket({
    up: () => {
      socketUp = true
      void read()
    },
    down: () => {
      socketUp = false
      plan()
    },
    order: (order) => {
      checkout.apply(order)
      regain()
    },
  })
  const unwake = onWake(
    () => {
      failures = 0
      socket.reconnectNow()
      // A read that began before the wake-up may return an outdated order, so another one follows it.
      void (reading ?? Promise.resolve()).then(read)
    },
    () => {
      clearTimeout(timer)
      socket.pause()
    },
    () => {
      lose()
      // Not every browser fires `online`, so polling continues.
      plan()
    },
  )
  plan()
  return () => {
    ended.abort()
    clearTimeout(timer)
    unwake()
    socket.stop()
  }
}
