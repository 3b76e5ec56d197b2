import { safeParse } from 'zod/mini'
import { PaymentPayload } from '../../../src/wire/x402.ts'

/** A longer header is refused undecoded, which bounds the work that an unauthenticated caller can cause. */
const longest = 12_000

export const encodeHeader = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64')

/** Returns undefined for anything but standard padded base64 of a version 2 payload for an EIP-3009 transfer. */
export function decodePayload(header: string): PaymentPayload | undefined {
  if (header.length > longest || header.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'base64'))
    const parsed = safeParse(PaymentPayload, JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}
