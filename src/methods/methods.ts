import type { IconName } from '../ui/icon.tsx'
import type { MethodPart } from './part.ts'

/** These methods are loaded with the secondary screens (screens/secondary.tsx) and not as modules of their own. */
export interface SecondaryParts {
  readonly cardPart: MethodPart
}

export interface MethodEntry {
  /** The page's URL names the method by `slug`, and the API names it by `wire`. */
  readonly slug: string
  readonly wire: string
  /** Names its texts: the title itself, one with `Hint`, and the label of its button, where the page recommends it, with `Act`. */
  readonly title: 'wallet' | 'address' | 'card'
  /** This text says when to choose the method. `{method}` in it is the method's title. */
  readonly advice?: 'whichAddress' | 'whichWallet'
  readonly icon: IconName
  /** The payer pays in the order's fiat currency, so an amount of tokens says nothing. */
  readonly takesFiat?: true
  /** Fetches the code when the method is chosen. The method `address` has none, because the page's entry has its screen. */
  readonly load?: (secondary: () => Promise<SecondaryParts>) => Promise<{ readonly methodPart: MethodPart }>
}

/** The page offers methods in this order, the available ones first, and only those that the service lists as well. */
export const methods: readonly MethodEntry[] = [
  {
    slug: 'wallet',
    wire: 'WALLET',
    title: 'wallet',
    advice: 'whichWallet',
    icon: 'wallet',
    load: () => import('./wallet-parts.ts'),
  },
  { slug: 'address', wire: 'DEPOSIT_ADDRESS', title: 'address', advice: 'whichAddress', icon: 'qr' },
  {
    slug: 'card',
    wire: 'CARD',
    title: 'card',
    icon: 'card',
    takesFiat: true,
    load: async (secondary) => ({ methodPart: (await secondary()).cardPart }),
  },
]
