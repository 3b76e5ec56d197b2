import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export const clockDifferenceSeconds = 300

export interface Signed {
  readonly apiKey: string
  readonly signature: string
  readonly timestamp: string
}

/**
 * Path and timestamp are signed without a separator, so a timestamp's length must not be ambiguous. A fresh Unix time has ten
 * digits, and leading zeros are refused, since otherwise a 0 at the end of a path could pass for part of the timestamp.
 */
const form = /^APIKey=([^,\s]{1,200}),signature=([0-9a-f]{64}),timestamp=([1-9]\d{0,11})$/

export function parseSignature(header: string): Signed | undefined {
  const [, apiKey, signature, timestamp] = form.exec(header) ?? []
  return apiKey && signature && timestamp ? { apiKey, signature, timestamp } : undefined
}

/** Joins method, path and timestamp, and the body's digest if the signature covers it. The path has neither version prefix nor query. */
export const textToSign = (method: string, path: string, timestamp: string, body?: Uint8Array): string =>
  method + path + timestamp + (body === undefined ? '' : createHash('sha256').update(body).digest('hex'))

export const sign = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex')

/** `signature` must be one that `parseSignature` has accepted. */
export const isSignature = (secret: string, text: string, signature: string): boolean =>
  timingSafeEqual(Buffer.from(sign(secret, text), 'hex'), Buffer.from(signature, 'hex'))

export function isSignedBy(secret: string, text: string, signed: Signed, now: number): boolean {
  const right = isSignature(secret, text, signed.signature)
  return right && Math.abs(Math.floor(now / 1000) - Number(signed.timestamp)) <= clockDifferenceSeconds
}
