import type { Provider } from './provider.ts'

/** A wallet that is in this browser. */
export interface Wallet {
  /** Reverse domain name, the same on every page: by it a wallet is known again. */
  readonly rdns: string
  readonly name: string
  /** A data URI. */
  readonly icon?: string
  readonly provider: Provider
  readonly usedBefore: boolean
  /** Brings its app to the front, where it is one. */
  readonly open?: string
  /** Lets it go, where that has to be said. */
  readonly leave?: () => void
}

interface Announced extends Event {
  readonly detail?: {
    readonly info?: { readonly rdns?: unknown; readonly name?: unknown; readonly icon?: unknown }
    readonly provider?: unknown
  }
}

const rememberedKey = 'till:wallet'

/** Storage may be forbidden in a frame: then nothing is remembered, and nothing else changes. */
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
    // Forbidden: the list has another order next time.
  }
}

const isProvider = (value: unknown): value is Provider =>
  typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function'

/** A browser that has been asked answers at once; what injects itself late is given a moment before the old way counts. */
const lateMs = 200

/**
 * Wallets that announce themselves (EIP-6963), each once, the last used first. A browser whose wallet knows only the old way
 * has it at `window.ethereum`. Reports the list as it grows, at least once, until the signal.
 */
export const discover = (report: (wallets: readonly Wallet[]) => void, signal: AbortSignal): void => {
  const last = remembered()
  const found = new Map<string, Wallet>()
  const update = () => report([...found.values()].sort((a, b) => Number(b.usedBefore) - Number(a.usedBefore)))
  const onAnnounce = (event: Event) => {
    const { info, provider } = (event as Announced).detail ?? {}
    if (typeof info?.rdns !== 'string' || typeof info.name !== 'string' || !isProvider(provider)) return
    // Two of one name are two wallets only if they have two names: the first one stays.
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
  // Last: many others pretend to be it.
  ['isMetaMask', 'MetaMask'],
] as const

/** Without a name of its own: what the old flags say, else nothing. */
const nameOf = (provider: Provider): string => flags.find(([flag]) => flag in provider && provider[flag as keyof Provider])?.[1] ?? ''

/** A wallet's picture of itself (EIP-6963): a data URI of an image, and none so large that a list of them would be felt. */
const mostIconBytes = 65_536

const iconOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= mostIconBytes && /^data:image\/(png|webp|jpeg|gif|svg\+xml)[;,].{8}/s.test(value)
    ? value
    : undefined
