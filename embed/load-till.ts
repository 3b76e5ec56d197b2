import type { Till } from './till.ts'

export type { ErrorCode, Presentation, TillEvent, TillEvents } from './events.ts'
export type { Theme } from './protocol.ts'
export type { OpenOptions, OrderSource, Result, Session, Till, TillButtonElement, TillCheckoutElement } from './till.ts'

export interface LoadOptions {
  /** This is the service's {pay_url}, for example `https://pay.example`. */
  readonly payUrl: string
  /** The script element gets this nonce, which a Content-Security-Policy with nonces requires. */
  readonly nonce?: string
  /** Only this release of the script is loaded, for example `3.8.0`. The service lists those that it has at `{pay_url}/till.json`. */
  readonly version?: string
  /** The browser refuses other bytes than these: `sha384-…`, from the same list. Needs `version`. */
  readonly integrity?: string
}

interface Trusted {
  readonly trustedTypes?: {
    createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
  }
}

let loading: Promise<Till> | undefined

/** Adds the script once, or again after a failure. On a server it resolves to null. Trusted Types have to allow a policy named `till`. */
export const loadTill = ({ payUrl, nonce, version, integrity }: LoadOptions): Promise<Till | null> => {
  if (typeof document === 'undefined') return Promise.resolve(null)
  const loaded = window.Till
  if (loaded && 'prepare' in loaded) return Promise.resolve(loaded)
  loading ??= new Promise<Till>((resolve, reject) => {
    // An element with the id `Till` is at `window.Till` too.
    const queue = Array.isArray(loaded) ? loaded : []
    queue.push(resolve)
    window.Till = queue
    const src = `${payUrl.replace(/\/+$/, '')}/till.js${version ? `?v=${version}` : ''}`
    const present = document.querySelector<HTMLScriptElement>(`script[src="${CSS.escape(src)}"]`)
    const script = present ?? document.createElement('script')
    script.addEventListener('error', () => {
      loading = undefined
      script.remove()
      reject(new Error(`Till did not load from ${src}. Is the address right, and does this page's Content-Security-Policy allow it?`))
    })
    if (present) return
    script.async = true
    if (nonce) script.nonce = nonce
    if (integrity) {
      script.integrity = integrity
      script.crossOrigin = 'anonymous'
    }
    script.src = trusted(src)
    document.head.append(script)
  })
  return loading
}

let policy: { createScriptURL(url: string): string } | undefined

const trusted = (url: string): string => {
  const { trustedTypes } = globalThis as Trusted
  policy ??= trustedTypes?.createPolicy('till', { createScriptURL: (trustedUrl) => trustedUrl })
  return policy?.createScriptURL(url) ?? url
}
