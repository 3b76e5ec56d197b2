import type { Context } from 'hono'
import { readyResponse } from '../http/ready-response.ts'
import { packed, type Packing, packingOf } from './packing.ts'

export interface Policy {
  readonly nonce: string
  /** {pay_url}: where our own files are. */
  readonly payUrl: string
  /** {base_url}: the one place besides our own origin that the page talks to. */
  readonly baseUrl: string
  /** Where wallets on other devices are met. */
  readonly walletRelay?: string
  /** Who may frame it; nobody for the full page. */
  readonly ancestors: readonly string[]
}

/**
 * No 'unsafe-' anything: our one style and our one script carry the nonce. What the script loads should inherit it, but Chromium
 * gives `import()` another document's nonce when several of our frames share a process, so the folder of our built files is named
 * too: nothing but the build writes there (docs/decisions/0017-scripts-by-folder.md).
 */
export function contentPolicy({ nonce, payUrl, baseUrl, walletRelay, ancestors }: Policy): string {
  const { origin } = new URL(baseUrl)
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${new URL(payUrl).origin}/assets/`,
    `style-src 'nonce-${nonce}'`,
    // Wallets bring their icons along as data: seen as images only, they run nothing and ask nobody.
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

export const pageHeaders = (policy: Policy, packing: Packing | undefined): Record<string, string> => ({
  ...always,
  'content-security-policy': contentPolicy(policy),
  ...(policy.ancestors.length === 0 ? { 'x-frame-options': 'DENY' } : {}),
  ...(packing ? { 'content-encoding': packing } : {}),
})

/** One page, with everything that keeps it ours. */
export function sendHtml(c: Context, html: string, policy: Policy, status: number, more: Readonly<Record<string, string>> = {}): Response {
  const packing = packingOf(c.req.header('accept-encoding'))
  const bytes = new TextEncoder().encode(html)
  const init = { status, headers: { ...pageHeaders(policy, packing), ...more } }
  return readyResponse(c, packing ? packed(bytes, packing, 'quick') : bytes, init)
}
