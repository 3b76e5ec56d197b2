import { createHmac } from 'node:crypto'
import type { Keys } from './service.ts'

/** Signs a call to the API: the method, the path below /v3 without its query, and the time. */
export function signCall({ apiKey, apiSecret }: Keys, method: string, path: string, now: number): string {
  const timestamp = Math.floor(now / 1000)
  const signature = createHmac('sha256', apiSecret).update(`${method}${path}${timestamp}`).digest('hex')
  return `APIKey=${apiKey},signature=${signature},timestamp=${timestamp}`
}

/** Signs a webhook's exact body. */
export const signWebhook = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('base64')
