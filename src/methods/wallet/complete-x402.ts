import { decodeHeader } from '../../wire/x402-header.ts'
import { type PaymentRequired, readPaymentRequired } from './offers.ts'

/** Responses are grouped by what the page does next, because several status codes mean the same to it. */
export type Answer =
  | { readonly at: 'paid' }
  /** The payment is in flight. Sending the same signature again returns its current state. */
  | { readonly at: 'pending' }
  /** `asked` says what may be signed. If a signature was sent, `reason` says why it was not accepted. */
  | { readonly at: 'asked'; readonly asked: PaymentRequired; readonly reason: string | undefined }
  /** Another payment for this order is complete or in flight. */
  | { readonly at: 'taken'; readonly message: string }
  | { readonly at: 'refused'; readonly message: string }
  /** The service did not answer, or its answer was temporary, so the same request may be retried. */
  | { readonly at: 'silent' }

export type Post = (path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>

export const completeX402 = async (post: Post, orderId: string, header: string | undefined, signal: AbortSignal): Promise<Answer> => {
  let response: Response
  try {
    response = await post(
      `/orders/${encodeURIComponent(orderId)}/x402/complete`,
      header === undefined ? {} : { 'PAYMENT-SIGNATURE': header },
      signal,
    )
  } catch {
    // That includes a request which was given up because the page shows something else by now.
    return { at: 'silent' }
  }
  switch (response.status) {
    case 200:
      return { at: 'paid' }
    case 202:
      return { at: 'pending' }
    case 402: {
      const asked = readPaymentRequired(response.headers.get('PAYMENT-REQUIRED'))
      const settled = decodeHeader(response.headers.get('PAYMENT-RESPONSE'))
      const reason =
        typeof settled === 'object' && settled !== null && 'errorReason' in settled
          ? String(settled.errorReason)
          : header === undefined
            ? undefined
            : asked?.error
      return asked ? { at: 'asked', asked, reason } : { at: 'silent' }
    }
    case 409:
      return { at: 'taken', message: await messageOf(response) }
    case 408:
    case 429:
      return { at: 'silent' }
    default:
      return response.status >= 500 ? { at: 'silent' } : { at: 'refused', message: await messageOf(response) }
  }
}

const messageOf = async (response: Response): Promise<string> => {
  const body: unknown = await response.json().catch(() => undefined)
  return typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string' ? body.message : ''
}
