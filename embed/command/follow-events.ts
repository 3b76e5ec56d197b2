import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'
import { CommandFailed } from './command.ts'
import { type OrderEvent, readFrame } from './read-event.ts'
import { reasonOf, type Service } from './service.ts'
import { signCall } from './sign.ts'

/** The service pings every 25 s, so a connection on which nothing arrives for so long is dead. */
const silentMs = 40_000
const waits = { firstMs: 1_000, longestMs: 30_000 } as const
const largestFrame = 16 * 1_048_576
const unauthorized = 4401

export interface FollowParts {
  readonly service: Service
  readonly onEvent: (event: OrderEvent) => void
  /** Called at each subscription. Nothing is repeated from before. */
  readonly onSubscribed: (isAgain: boolean) => void
  readonly onLost: (reason: string, retryInMs: number) => void
  readonly signal: AbortSignal
}

/** Follows all orders of the organisation, and connects again whenever the connection is lost. It resolves when the signal aborts. */
export async function followEvents({ service, onEvent, onSubscribed, onLost, signal }: FollowParts): Promise<void> {
  let wait: number = waits.firstMs
  let isAgain = false
  while (!signal.aborted) {
    const reason = await connection(service, signal, onEvent, () => {
      onSubscribed(isAgain)
      isAgain = true
      wait = waits.firstMs
    })
    if (signal.aborted) return
    onLost(reason, wait)
    await sleep(wait, undefined, { signal }).catch(() => undefined)
    wait = Math.min(waits.longestMs, wait * 2)
  }
}

/** Resolves to the reason for which the connection has ended. It rejects if another attempt would end in the same way. */
function connection(
  service: Service,
  signal: AbortSignal,
  onEvent: (event: OrderEvent) => void,
  onSubscribed: () => void,
): Promise<string> {
  const { resolve, reject, promise } = settlement<string>()
  const socket = new WebSocket(`${service.url.replace(/^http/, 'ws')}/v3/ws`, {
    handshakeTimeout: 10_000,
    maxPayload: largestFrame,
    perMessageDeflate: false,
    followRedirects: false,
  })
  const send = (type: string, data: object) => socket.send(JSON.stringify({ type, data }))
  const silence = setTimeout(() => {
    resolve('no message for 40 s')
    socket.terminate()
  }, silentMs)
  const stop = () => socket.terminate()
  signal.addEventListener('abort', stop, { once: true })
  socket.on('open', () =>
    send('connect', { api_key: service.apiKey, authorization_signature: signCall(service, 'GET', '/ws', Date.now()) }),
  )
  socket.on('message', (bytes) => {
    silence.refresh()
    const frame = readFrame(bytes.toString())
    switch (frame.type) {
      case 'connected':
        return send('subscribe', {})
      case 'subscribed':
        return onSubscribed()
      case 'event':
        return onEvent(frame.event)
      case 'error':
        if (frame.code === 401 || frame.code === 403) reject(refused(service, frame.message))
        return resolve(frame.message || 'the service refused a message')
      case 'other':
        return undefined
      default:
        return frame satisfies never
    }
  })
  socket.on('error', (error) => resolve(reasonOf(error)))
  socket.on('close', (code, reason) => {
    clearTimeout(silence)
    signal.removeEventListener('abort', stop)
    if (code === unauthorized) reject(refused(service, reason.toString()))
    resolve(`closed with ${code}${reason.length > 0 ? `, ${reason.toString()}` : ''}`)
  })
  return promise.finally(() => socket.terminate())
}

const refused = ({ url }: Service, message: string): CommandFailed =>
  new CommandFailed(
    `${url} refused the key${message ? `: ${message}` : '.'} Compare TILL_API_KEY and TILL_API_SECRET, and see whether this machine's clock is right.`,
  )

function settlement<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { resolve, reject, promise }
}
