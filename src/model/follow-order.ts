import { ApiError } from '../api/api-error.ts'
import type { LiveSocket } from '../api/socket.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { Checkout } from './checkout.ts'
import type { Clock } from './clock.ts'
import type { Connection } from './connection.ts'
import { isFinal } from '../order/step.ts'

export interface FollowPorts {
  readonly openSocket: (on: { up: () => void; down: () => void; order: (order: OrderRead) => void }) => LiveSocket
  /** Calls back when the page wakes up, comes back or is online again, with what happened. */
  readonly onWake: (wake: () => void, sleep: () => void, offline: () => void) => () => void
  readonly random: () => number
}

const poll = { first: 2_000, most: 20_000, whileLiveMs: 30_000 } as const

/**
 * Keeps the shown order true. The socket is the quick way, reading is the sure one: read on every (re)subscribe, on
 * every wake-up, every 30 s while money is expected, and with back-off and jitter while there is no socket.
 * Returns its end.
 */
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

  const lose = () => connection.lose(lastRead)
  const regain = () => {
    lastRead = clock.now.peek()
    connection.regain()
  }
  const read = (): Promise<void> => {
    reading ??= checkout
      .refresh(ended.signal)
      .then(
        () => {
          failures = 0
          regain()
        },
        (error: unknown) => {
          if (!(error instanceof ApiError)) throw error
          failures++
          // A socket may look open long after the connection is gone: two failed reads are more certain.
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
    if (ended.signal.aborted || isFinal(checkout.step.peek())) return
    const isSure = socketUp && failures === 0 && connection.state.peek().at === 'live'
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
      socket.hurry()
      // A read that began before the wake-up may be older than what happened during the sleep.
      void (reading ?? Promise.resolve()).then(read)
    },
    () => {
      clearTimeout(timer)
      socket.pause()
    },
    () => {
      lose()
      // Not every browser says when it is online again.
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
