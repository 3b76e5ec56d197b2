import type { FirstKey, PlainKey } from '../i18n/messages.ts'
import type { IconName } from '../ui/icon.tsx'
import type { MethodPart, RestPart } from './part.ts'

/** Methods that come with the secondary screens. */
export interface SecondaryParts {
  readonly cardPart: MethodPart
}

export interface MethodEntry {
  /** In the page's address. */
  readonly slug: string
  /** In the service's list. */
  readonly wire: string
  readonly title: PlainKey & FirstKey
  readonly hint: PlainKey & FirstKey
  /** When it is the right one; `{method}` is its name. */
  readonly advice?: 'whichAddress' | 'whichWallet'
  readonly icon: IconName
  /** Fetched when it is chosen: a piece of its own, or with the secondary screens; absent for what the server renders itself. */
  readonly load?: (secondary: () => Promise<SecondaryParts>) => Promise<{ readonly methodPart: MethodPart }>
  /** How it can finish what has begun, and what its button says. */
  readonly rest?: { readonly title: PlainKey & FirstKey; readonly load: () => Promise<{ readonly restPart: RestPart }> }
}

/** In the order in which they are offered. The page shows a method of the service's list only if it has an entry here. */
export const methods: readonly MethodEntry[] = [
  {
    slug: 'wallet',
    wire: 'WALLET',
    title: 'wallet',
    hint: 'walletHint',
    advice: 'whichWallet',
    icon: 'wallet',
    load: () => import('./wallet-parts.ts'),
    rest: { title: 'restWallet', load: () => import('./wallet-parts.ts') },
  },
  { slug: 'address', wire: 'DEPOSIT_ADDRESS', title: 'address', hint: 'addressHint', advice: 'whichAddress', icon: 'qr' },
  {
    slug: 'card',
    wire: 'CARD',
    title: 'card',
    hint: 'cardHint',
    icon: 'card',
    load: async (secondary) => ({ methodPart: (await secondary()).cardPart }),
  },
]
