import { createHash } from 'node:crypto'
import { type Terminal, UsageError } from './command.ts'
import { isLoopback } from './loopback.ts'
import type { OrderEvent } from './read-event.ts'
import { reasonOf } from './service.ts'
import { signWebhook } from './sign.ts'

/** A webhook's receiver has as long. */
const answerWithinMs = 30_000

/** Where events are forwarded to. They contain payers' addresses and are signed, so they leave the machine only if somebody says so. */
export function readReceiver(text: string | undefined, allowRemote: boolean): URL {
  const example = 'http://localhost:3000/hook'
  if (text === undefined) throw new UsageError(`"till listen" needs --forward-to: where your server takes webhooks, like ${example}.`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new UsageError(`--forward-to must be where your server takes webhooks, like ${example}, and is "${text}".`)
  if (!allowRemote && !isLoopback(url))
    throw new UsageError(
      `--forward-to leads to ${url.hostname}, and only localhost, 127.x.x.x and [::1] are expected: events have your payers' addresses. If you mean it, add --allow-remote.`,
    )
  return url
}

/** The same event has the same id, whoever forwards it and however often. */
export const idOf = ({ event, deliveredAt, orderId, status }: OrderEvent): string =>
  `listen_${createHash('sha256').update([orderId, event, status, deliveredAt].join('\n')).digest('hex').slice(0, 32)}`

/** Sends an event as a webhook is sent, and says how the receiver answered. It does so once: it is not the service, which would try again. */
export async function forward(
  event: OrderEvent,
  to: URL,
  secret: string,
  { fetch, signal }: Pick<Terminal, 'fetch' | 'signal'>,
): Promise<string> {
  const began = performance.now()
  const deadline = new AbortController()
  const stop = () => deadline.abort()
  const timer = setTimeout(() => deadline.abort(new Error(`no answer within ${answerWithinMs / 1000} s`)), answerWithinMs)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const response = await fetch(to, {
      method: 'POST',
      body: event.body,
      headers: {
        'content-type': 'application/json',
        'till-webhook-id': idOf(event),
        'till-webhook-signature': signWebhook(secret, event.body),
        'user-agent': 'Till',
      },
      redirect: 'manual',
      signal: deadline.signal,
    })
    await response.body?.cancel()
    const isTaken = response.status >= 200 && response.status <= 299
    return `${response.status} in ${Math.round(performance.now() - began)} ms${isTaken ? '' : ', which a webhook counts as a failure'}`
  } catch (error) {
    return `failed: ${reasonOf(deadline.signal.aborted ? deadline.signal.reason : error)}`
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
