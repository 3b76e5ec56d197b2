import type { Provider } from './provider.ts'

/** A wallet that can be asked: one in this browser, or one on another device that was paired. */
export interface Wallet {
  /**
   * The reverse domain name by which a wallet is recognised on the next visit (EIP-6963). Wallets that do not announce one share a fixed
   * name.
   */
  readonly rdns: string
  readonly name: string
  /** A data URI. */
  readonly icon?: string
  readonly provider: Provider
  readonly usedBefore: boolean
  /** An address that brings the wallet's app to the front. */
  readonly open?: string
  /** Ends the session with a paired wallet; others need no such call. */
  readonly leave?: () => void
}

interface Announced extends Event {
  readonly detail?: {
    readonly info?: { readonly rdns?: unknown; readonly name?: unknown; readonly icon?: unknown }
    readonly provider?: unknown
  }
}

const rememberedKey = 'till:wallet'

/** Storage may be forbidden in a frame. Then no wallet is remembered, and everything else works as usual. */
const remembered = (): string | undefined => {
  try {
    return localStorage.getItem(rememberedKey) ?? undefined
  } catch {
    return undefined
  }
}

export const remember = ({ rdns }: Wallet): void => {
  try {
    localStorage.setItem(rememberedKey, rdns)
  } catch {
    // Storage is forbidden, so this wallet will not be listed first next time.
  }
}

const isProvider = (value: unknown): value is Provider =>
  typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function'

/** Wallets that are ready announce themselves at once. One that is injected late gets this long before `window.ethereum` is tried. */
const lateMs = 200

/**
 * Finds wallets that announce themselves (EIP-6963) and lists each once, the last used first. If none does in time, it falls back to
 * `window.ethereum`, which older wallets set. Reports the list as it grows, at least once unless it is aborted first.
 */
export const discover = (report: (wallets: readonly Wallet[]) => void, signal: AbortSignal): void => {
  const last = remembered()
  const found = new Map<string, Wallet>()
  const update = () => report([...found.values()].sort((a, b) => Number(b.usedBefore) - Number(a.usedBefore)))
  const onAnnounce = (event: Event) => {
    const { info, provider } = (event as Announced).detail ?? {}
    if (typeof info?.rdns !== 'string' || typeof info.name !== 'string' || !isProvider(provider)) return
    // Announcements with the same reverse domain name count as one wallet, and the first one stays.
    if (found.has(info.rdns)) return
    found.set(info.rdns, {
      rdns: info.rdns,
      name: info.name.slice(0, 40),
      icon: iconOf(info.icon),
      provider,
      usedBefore: info.rdns === last,
    })
    update()
  }
  addEventListener('eip6963:announceProvider', onAnnounce, { signal })
  dispatchEvent(new Event('eip6963:requestProvider'))
  const late = setTimeout(() => {
    const { ethereum } = globalThis as { ethereum?: unknown }
    if (found.size === 0 && isProvider(ethereum))
      found.set('injected', { rdns: 'injected', name: nameOf(ethereum), provider: ethereum, usedBefore: last === 'injected' })
    update()
  }, lateMs)
  signal.addEventListener('abort', () => clearTimeout(late), { once: true })
}

const flags = [
  ['isRabby', 'Rabby'],
  ['isCoinbaseWallet', 'Coinbase Wallet'],
  ['isTrust', 'Trust Wallet'],
  ['isTrustWallet', 'Trust Wallet'],
  ['isRainbow', 'Rainbow'],
  ['isOkxWallet', 'OKX Wallet'],
  ['isPhantom', 'Phantom'],
  // This comes last because many other wallets set it too.
  ['isMetaMask', 'MetaMask'],
] as const

/** A wallet at `window.ethereum` has no name, so it is guessed from the flags that wallets set. Empty if there is none. */
const nameOf = (provider: Provider): string => flags.find(([flag]) => flag in provider && provider[flag as keyof Provider])?.[1] ?? ''

/** An icon that is larger than this is left out, so that a list of wallets stays fast. */
const mostIconBytes = 65_536

const iconOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= mostIconBytes && /^data:image\/(png|webp|jpeg|gif|svg\+xml)[;,].{8}/s.test(value)
    ? value
    : undefined
