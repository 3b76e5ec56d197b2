import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { canonicalAddress, canonicalToken } from '../../src/wire/addresses/canonical.ts'
import { parseUnits } from '../../src/wire/money.ts'
import { RefundRequest } from '../../src/wire/order.ts'
import type { GuardRequest } from '../chains/guard.ts'
import { isSignature, parseSignature, textToSign } from '../http/signature.ts'

/** The merchant's call of the refund endpoint, as it arrived. `path` is what was signed: without the version prefix and the query. */
export const MerchantRequest = z.strictObject({
  method: z.literal('POST'),
  path: z.string().check(z.maxLength(300)),
  timestamp: z.string().check(z.maxLength(12)),
  signature: z.string().check(z.maxLength(64)),
  api_key: z.string().check(z.maxLength(200)),
  body: z.string().check(z.maxLength(16_384)),
})
export type MerchantRequest = z.infer<typeof MerchantRequest>

/** What waited longer than this, in the service's queue or for the guard, has to be asked for again. */
export const longestRequestSeconds = 7 * 86_400

/** Names the evidence, which approves one move. Without a signed body, two requests of one second for one order have the same signature. */
export const evidenceName = ({ api_key, signature }: MerchantRequest): string =>
  createHash('sha256').update(`${api_key} ${signature}`).digest('hex')

export const ageSeconds = ({ timestamp }: MerchantRequest, now: number): number => Math.floor(now / 1000) - Number(timestamp)

/** Returns which limits the merchant's request for this move has, or why it is none. */
export function judgeMerchantRequest(
  asked: MerchantRequest,
  { secret, needsSignedBody, decimals }: { secret: string; needsSignedBody: boolean; decimals: number },
  { chainId, terms, move }: GuardRequest,
): { readonly budget: 'merchant' | 'merchant_partly' } | { readonly fault: string } {
  const wrong = (fault: string) => ({ fault })
  const { method, path, timestamp, signature, api_key, body } = asked
  const signed = parseSignature(`APIKey=${api_key},signature=${signature},timestamp=${timestamp}`)
  if (!signed) return wrong('the merchant’s signature is malformed')
  const isBodySigned = isSignature(secret, textToSign(method, path, timestamp, new TextEncoder().encode(body)), signature)
  if (!isBodySigned && !isSignature(secret, textToSign(method, path, timestamp), signature))
    return wrong('the merchant has not signed this')
  if (needsSignedBody && !isBodySigned) return wrong('the merchant’s signature does not cover the body')
  if (path !== `/orders/${terms.order_id}/refund`) return wrong('the merchant has signed for another order')
  const request = z.safeParse(RefundRequest, jsonOf(body))
  if (!request.success) return wrong('the merchant’s request is no refund')
  const { amount, currency, recipient } = request.data
  if (needsSignedBody && (!currency || !recipient)) return wrong('the merchant’s request names no currency or no recipient')
  const moved = move.legs.reduce((sum, leg) => sum + leg.amount, 0n)
  if (parseUnits(amount, decimals) !== moved) return wrong('the merchant has asked for another amount')
  if (currency && (currency.chain_id !== chainId || canonicalToken(chainId, currency.address) !== canonicalToken(chainId, move.tokenIn)))
    return wrong('the merchant has asked for another currency')
  const receiver = move.legs[0]?.to ?? ''
  if (recipient && canonicalAddress(chainId, recipient) !== canonicalAddress(chainId, receiver))
    return wrong('the merchant has named another recipient')
  return { budget: isBodySigned && currency && recipient ? 'merchant' : 'merchant_partly' }
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
