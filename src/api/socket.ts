import * as z from 'zod/mini'
import type { OrderRead } from '../wire/order-read.ts'
import { ServerFrameRead } from '../wire/socket.ts'

/**
 * Receives snapshots of one order over `{base_url}/ws`. It reconnects after every kind of failure, with back-off and jitter. The service
 * replays no events, so the caller refetches the order at each onUp and never relies on the socket alone.
 *
 * 1. open, send `connect` with the key                       2. on `connected` send `subscribe` with the order
 * 3. on `subscription` call onUp                             4. on `event` call onOrder with the snapshot
 * 5. after the first `ping`, 40 s of silence is a failure    6. on a failure call onDown, back off, reconnect
 */
export interface SocketPorts {
  readonly open: (url: string) => WebSocket
  readonly random: () => number
  readonly url: string
  readonly key: string
  readonly orderId: string
  readonly onUp: () => void
  readonly onDown: () => void
  readonly onOrder: (order: OrderRead) => void
}

const silenceMs = 40_000
const handshakeMs = 10_000
const backoff = { first: 500, most: 15_000 } as const

export interface LiveSocket {
  /** If it is down, connects at once instead of waiting for the back-off, because the device woke up or is online again. */
  reconnectNow(): void
  /** Disconnects until reconnectNow(), because a page in the back-forward cache must not have an open connection. */
  pause(): void
  stop(): void
}

export const openSocket = ({ open, random, url, key, orderId, onUp, onDown, onOrder }: SocketPorts): LiveSocket => {
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempts = 0
  let pings = false
  let up = false

  const after = (ms: number, run: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(run, ms)
  }
  const send = (type: string, data: object) => socket?.send(JSON.stringify({ type, data }))
  const received = () => {
    if (pings) after(silenceMs, retry)
  }
  const disconnect = () => {
    clearTimeout(timer)
    const old = socket
    socket = undefined
    old?.close()
    if (up) onDown()
    up = false
  }
  const retry = () => {
    disconnect()
    const wait = Math.min(backoff.most, backoff.first * 2 ** attempts++)
    after(wait * (0.5 + random() / 2), start)
  }
  const start = () => {
    disconnect()
    const mine = open(url)
    socket = mine
    after(handshakeMs, retry)
    const ifMine = (run: () => void) => () => {
      if (socket === mine) run()
    }
    mine.onopen = ifMine(() => send('connect', { api_key: key }))
    mine.onclose = ifMine(retry)
    mine.onerror = ifMine(retry)
    mine.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (socket !== mine || typeof data !== 'string') return
      const frame = z.safeParse(ServerFrameRead, parseJson(data))
      received()
      if (frame.success) take(frame.data)
    }
  }
  const take = (frame: ServerFrameRead) => {
    switch (frame.type) {
      case 'connected':
        return send('subscribe', { order_id: orderId })
      case 'subscription':
        if (frame.data.status !== 'subscribed') return
        attempts = 0
        up = true
        clearTimeout(timer)
        received()
        return onUp()
      case 'event':
        return frame.data.order.id === orderId ? onOrder(frame.data.order) : undefined
      case 'ping':
        pings = true
        return received()
      case 'error':
        // The service refused the connection or the subscription, which a quick retry would not change, so the next attempts wait longer.
        attempts = Math.max(attempts, 4)
        return retry()
      default:
        frame satisfies never
    }
  }
  start()
  return {
    reconnectNow: () => {
      attempts = 0
      if (!up) start()
    },
    pause: disconnect,
    stop: disconnect,
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
