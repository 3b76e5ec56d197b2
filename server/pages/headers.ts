import type { Context } from 'hono'
import { readyResponse } from '../http/ready-response.ts'
import { compressed, type Encoding, encodingOf } from './compression.ts'

export interface Policy {
  readonly nonce: string
  /** {pay_url} is the origin of our own files. */
  readonly payUrl: string
  /** {base_url} is the only other origin that the page connects to, except for the wallet relay. */
  readonly baseUrl: string
  readonly walletRelay?: string
  /** Only these origins may frame the page. The full page has none. */
  readonly ancestors: readonly string[]
}

/**
 * What a script with our nonce loads should inherit it, but Chromium checks `import()` against another document's nonce when several of our
 * frames share a process. So the policy also allows the folder to which only the build writes (docs/decisions/0017-scripts-by-folder.md).
 */
export function contentPolicy({ nonce, payUrl, baseUrl, walletRelay, ancestors }: Policy): string {
  const { origin } = new URL(baseUrl)
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${new URL(payUrl).origin}/assets/`,
    `style-src 'nonce-${nonce}'`,
    // Wallets supply their icons as data URLs. As images they run nothing and fetch nothing.
    "img-src 'self' data:",
    `connect-src 'self' ${origin} ${origin.replace(/^http/, 'ws')}${walletRelay ? ` ${new URL(walletRelay).origin}` : ''}`,
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors.length > 0 ? ancestors.join(' ') : "'none'"}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

const denied = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
]

const always: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': [
    ...denied.map((name) => `${name}=()`),
    'clipboard-write=(self)',
    'payment=(self)',
    'usb=(self)',
    'hid=(self)',
  ].join(', '),
  vary: 'accept-encoding, accept-language',
}

export const pageHeaders = (policy: Policy, encoding: Encoding | undefined): Record<string, string> => ({
  ...always,
  'content-security-policy': contentPolicy(policy),
  ...(policy.ancestors.length === 0 ? { 'x-frame-options': 'DENY' } : {}),
  ...(encoding ? { 'content-encoding': encoding } : {}),
})

export function sendHtml(c: Context, html: string, policy: Policy, status: number, more: Readonly<Record<string, string>> = {}): Response {
  const encoding = encodingOf(c.req.header('accept-encoding'))
  const bytes = new TextEncoder().encode(html)
  const init = { status, headers: { ...pageHeaders(policy, encoding), ...more } }
  return readyResponse(c, encoding ? compressed(bytes, encoding, 'quick') : bytes, init)
}
