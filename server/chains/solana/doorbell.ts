import { WebSocket } from 'ws'
import * as z from 'zod'
import { backoffMs, pause } from '../../lib/pause.ts'
import { wakeable } from '../../lib/wakeable.ts'

/**
 * Rings when a node says that an account has changed (PubSub's accountSubscribe), so that the account is read at once.
 *
 * 1. A ring is a reason to look and nothing more. What a node says of an account is not read.
 * 2. Polls go on as they would without a socket. One that is silent, late or closed loses nothing and delays nothing.
 * 3. A socket that rings all the time is answered at intervals, for all accounts together.
 * 4. Subscriptions are limited, and so are those that a node has not answered. The accounts that are named first have them.
 * 5. A connection on which no ping is answered is closed. The next one is opened after a pause that grows, at the next node.
 */
export interface Doorbell {
  /** Keeps a connection until the signal aborts. */
  open(signal: AbortSignal): void
  /** From now on these accounts ring, and no others. */
  watch(accounts: readonly string[]): void
  /** Resolves after so many ms, or earlier with the accounts that have rung since the last call. */
  wait(ms: number, signal: AbortSignal): Promise<ReadonlySet<string>>
}

export interface DoorbellOptions {
  /** Without a URL there is only silence. */
  readonly urls: readonly string[]
  readonly onUnavailable: (details: { readonly host: string; readonly reason: string; readonly waitMs: number }) => void
  /** Rings are answered at least this far apart. */
  readonly gapMs: number
  readonly mostSubscriptions?: number
  /** A connection is pinged at this interval, and is opened within it. */
  readonly pingMs?: number
  readonly waits?: { readonly firstMs: number; readonly longestMs: number }
}

export const mostRinging = 1_000
/** A node that has not answered so many requests gets no more. */
const mostUnanswered = 50
/** Nothing that is expected is longer. */
const mostBytes = 100_000

const Message = z.union([
  z.object({ method: z.literal('accountNotification'), params: z.object({ subscription: z.number() }) }),
  z.object({ id: z.number(), result: z.number() }),
  z.object({ id: z.number(), error: z.unknown() }),
])

export function doorbell(options: DoorbellOptions): Doorbell {
  const {
    urls,
    onUnavailable,
    gapMs,
    mostSubscriptions = mostRinging,
    pingMs = 15_000,
    waits = { firstMs: 500, longestMs: 60_000 },
  } = options
  const sleeper = wakeable()
  const rung = new Set<string>()
  let wanted: readonly string[] = []
  let connection: Connection | undefined
  let failures = 0
  let answeredAt = -Infinity

  async function keepConnected(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const url = urls[failures % urls.length]!
      const { host } = new URL(url)
      const reason = await connected(url, signal)
      if (signal.aborted) return
      const waitMs = Math.round(backoffMs(failures, waits) * (0.5 + Math.random() / 2))
      // Providers close connections now and then, so only what cannot be opened again is worth a line, and once.
      if (++failures === 2) onUnavailable({ host, reason, waitMs })
      await pause(waitMs, signal)
    }
  }

  /** Resolves to the reason why the connection has ended. */
  function connected(url: string, signal: AbortSignal): Promise<string> {
    const socket = new WebSocket(url, { handshakeTimeout: pingMs, maxPayload: mostBytes, perMessageDeflate: false })
    const ring = (account: string) => {
      rung.add(account)
      sleeper.wake()
    }
    let reason = 'it was closed'
    let isAnswered = true
    const timer = setInterval(() => {
      if (socket.readyState !== WebSocket.OPEN) return
      if (!isAnswered) {
        reason = 'it answers no ping'
        return socket.terminate()
      }
      isAnswered = false
      socket.ping()
    }, pingMs)
    const end = () => socket.terminate()
    signal.addEventListener('abort', end)
    socket.on('open', () => {
      connection = connectionOn((message) => socket.send(JSON.stringify(message)), ring)
      connection.want(wanted)
    })
    socket.on('pong', () => {
      isAnswered = true
      // Only a connection that has lasted proves that the node serves one.
      failures = 0
    })
    socket.on('message', (data) => connection?.receive(parseJson(data.toString())))
    socket.on('error', (error) => (reason = error.message))
    if (signal.aborted) end()
    return new Promise((resolve) => {
      socket.on('close', () => {
        clearInterval(timer)
        signal.removeEventListener('abort', end)
        connection = undefined
        resolve(reason)
      })
    })
  }

  return {
    open: (signal) => void (urls.length > 0 && keepConnected(signal)),
    watch(accounts) {
      wanted = accounts.slice(0, mostSubscriptions)
      connection?.want(wanted)
    },
    async wait(ms, signal) {
      const end = performance.now() + ms
      if (ms > 0) await sleeper.sleep(ms, signal)
      await pause(Math.max(0, Math.min(answeredAt + gapMs, end) - performance.now()), signal)
      const ringing = new Set(rung)
      rung.clear()
      if (ringing.size > 0) answeredAt = performance.now()
      return ringing
    },
  }
}

interface Connection {
  want(accounts: readonly string[]): void
  receive(message: unknown): void
}

/** Asks for the subscriptions that are wanted, a few at a time, and ends the others. */
function connectionOn(send: (message: object) => void, ring: (account: string) => void): Connection {
  const asked = new Map<number, string>()
  const numbers = new Map<string, number>()
  const accounts = new Map<number, string>()
  /** The node has refused these, and is not asked again on this connection. */
  const refused = new Set<string>()
  let wanted: ReadonlySet<string> = new Set()
  /** What is wanted and was not asked for yet, the last one first. */
  let waiting: string[] = []
  let lastId = 0

  function request(method: string, params: readonly unknown[]): number {
    send({ jsonrpc: '2.0', id: ++lastId, method, params })
    return lastId
  }

  function askForMore(): void {
    while (asked.size < mostUnanswered) {
      const account = waiting.pop()
      if (account === undefined) return
      // The account's data is not read, so none has to be sent.
      const options = { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 0, length: 0 } }
      asked.set(request('accountSubscribe', [account, options]), account)
    }
  }

  function end(account: string, number: number): void {
    request('accountUnsubscribe', [number])
    numbers.delete(account)
    accounts.delete(number)
  }

  return {
    want(list) {
      wanted = new Set(list)
      for (const [account, number] of numbers) if (!wanted.has(account)) end(account, number)
      const known = new Set([...numbers.keys(), ...asked.values(), ...refused])
      waiting = [...wanted].filter((account) => !known.has(account)).toReversed()
      askForMore()
    },
    receive(message) {
      const parsed = Message.safeParse(message)
      if (!parsed.success) return
      if ('method' in parsed.data) {
        const account = accounts.get(parsed.data.params.subscription)
        if (account !== undefined) ring(account)
        return
      }
      const account = asked.get(parsed.data.id)
      if (account === undefined) return
      asked.delete(parsed.data.id)
      if ('result' in parsed.data) {
        numbers.set(account, parsed.data.result)
        accounts.set(parsed.data.result, account)
        if (!wanted.has(account)) end(account, parsed.data.result)
      } else refused.add(account)
      askForMore()
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
