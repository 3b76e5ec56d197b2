import type { ChainId } from '../../wire/chain-facts.ts'
import type { Provider } from './provider.ts'

/** What the list shows of a wallet, whatever its networks are. */
export interface ListedWallet {
  /** This identifies the wallet on the next visit: a reverse domain name (EIP-6963), or else `injected`, `remote`, or a name on Solana. */
  readonly rdns: string
  readonly name: string
  /** The icon is always a data URI, so showing it sends no request. */
  readonly icon?: string
  readonly usedBefore: boolean
  /** The list names this network beside the wallet. One without it pays on the networks that most wallets share (EVM). */
  readonly network?: ChainId
}

/** A wallet is in this browser, or was paired on another device. */
export interface Wallet extends ListedWallet {
  readonly provider: Provider
  /** This URL brings the wallet's app to the front. */
  readonly open?: string
  /** Ends the session with a paired wallet. Other wallets have no session to end. */
  readonly leave?: () => void
}

interface Announced extends Event {
  readonly detail?: {
    readonly info?: { readonly rdns?: unknown; readonly name?: unknown; readonly icon?: unknown }
    readonly provider?: unknown
  }
}

const rememberedKey = 'till:wallet'

/** Browsers may forbid storage in a frame. Then the page does not know which wallet was used last, and all else works as usual. */
export const remembered = (): string | undefined => {
  try {
    return localStorage.getItem(rememberedKey) ?? undefined
  } catch {
    return undefined
  }
}

export const remember = ({ rdns }: ListedWallet): void => {
  try {
    localStorage.setItem(rememberedKey, rdns)
  } catch {
    // Storage is forbidden, so this wallet is not listed first on the next visit.
  }
}

const isProvider = (value: unknown): value is Provider =>
  typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function'

/** Wallets announce themselves at once if they are ready. Others get this long before `window.ethereum` is tried. */
const lateMs = 200

/** Finds wallets that announce themselves (EIP-6963). If none does within `lateMs`, it tries the older `window.ethereum`. */
export const discover = (report: (wallets: readonly Wallet[]) => void, signal: AbortSignal): void => {
  const last = remembered()
  const found = new Map<string, Wallet>()
  const update = () => report([...found.values()].sort((a, b) => Number(b.usedBefore) - Number(a.usedBefore)))
  const onAnnounce = (event: Event) => {
    const { info, provider } = (event as Announced).detail ?? {}
    if (typeof info?.rdns !== 'string' || typeof info.name !== 'string' || !isProvider(provider)) return
    // Wallets announce themselves repeatedly, so only the first announcement of each `rdns` counts.
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
  // This comes last because other wallets also set it for compatibility.
  ['isMetaMask', 'MetaMask'],
] as const

/** A wallet at `window.ethereum` has no name, so this guesses one from the flags that wallets set. Returns '' if none is set. */
const nameOf = (provider: Provider): string => flags.find(([flag]) => flag in provider && provider[flag as keyof Provider])?.[1] ?? ''

/** A larger icon is left out, because any extension can announce a wallet and a huge icon would slow the page down. */
const mostIconBytes = 65_536

export const iconOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= mostIconBytes && /^data:image\/(png|webp|jpeg|gif|svg\+xml)[;,].{8}/s.test(value)
    ? value
    : undefined
