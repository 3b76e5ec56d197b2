import { createHmac } from 'node:crypto'
import type { DeliveryAttempt } from '../../src/wire/delivery.ts'
import { outbound, OutboundRefused } from '../http/outbound.ts'

export interface Message {
  readonly id: string
  readonly url: string
  readonly secrets: readonly string[]
  readonly body: string
}

export interface SendOptions {
  readonly timeoutMs: number
  readonly allowLocal: boolean
  readonly signal: AbortSignal
}

/** The receiver may also have refused the message, or not have answered, and there are URLs that we do not call. */
export interface Outcome extends Omit<DeliveryAttempt, 'at'> {
  readonly result: 'accepted' | 'refused' | 'silent' | 'not_called' | 'aborted'
}

const longestError = 300

export const signDelivery = (secrets: readonly string[], body: string): string =>
  secrets.map((secret) => createHmac('sha256', secret).update(body).digest('base64')).join(',')

/** Sends a message once. Its duration and what went wrong are for the merchant to read. */
export async function sendDelivery({ id, url, secrets, body }: Message, options: SendOptions): Promise<Outcome> {
  const began = performance.now()
  const elapsed = () => Math.round(performance.now() - began)
  try {
    const { status } = await outbound({
      url,
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'till-webhook-id': id,
        'till-webhook-signature': signDelivery(secrets, body),
        'user-agent': 'Till',
      },
      maxBytes: 0,
      ...options,
    })
    if (status >= 200 && status <= 299) return { result: 'accepted', status, ms: elapsed() }
    return { result: 'refused', status, ms: elapsed(), error: `the receiver responded with status ${status}` }
  } catch (error) {
    if (options.signal.aborted) return { result: 'aborted', ms: elapsed() }
    const result = error instanceof OutboundRefused ? 'not_called' : 'silent'
    return { result, ms: elapsed(), error: sentenceOf(error, options.timeoutMs) }
  }
}

/** Node has an error without a message for a host all of whose addresses fail. */
function sentenceOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error).slice(0, longestError)
  const isTimeout = error.name === 'TimeoutError' || (error.cause instanceof Error && error.cause.name === 'TimeoutError')
  if (isTimeout) return `the receiver did not respond within ${timeoutMs / 1_000} s`
  const code = 'code' in error ? String(error.code) : error.name
  return (error.message || code).slice(0, longestError)
}
