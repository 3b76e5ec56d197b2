import type { ComponentType } from 'preact'
import type { PlainKey } from '../i18n/messages.ts'
import type { IconName } from '../ui/icon.tsx'
import type { Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { StartFlow } from './method.ts'

/** What every method's screen is given besides its own flow. */
interface MethodViewProps {
  readonly order: OrderRead
  /** Back to the list of ways to pay. */
  readonly leave: () => void
  readonly toAddress: () => void
}

export type MethodScreen = ComponentType<MethodViewProps>

/** Ties a method's flow to its view; called once, when the method is chosen. */
export type MethodPart = (start: StartFlow) => MethodScreen

/** What a method adds to the screen with the address once a payment has begun: the rest, by its own means. */
export type RestScreen = ComponentType<{ readonly order: OrderRead; readonly rest: { readonly to: string; readonly due: Funds } }>
export type RestPart = (start: StartFlow) => RestScreen

export interface MethodEntry {
  /** In the page's address. */
  readonly slug: string
  /** In the service's list. */
  readonly wire: string
  readonly title: PlainKey
  readonly hint: PlainKey
  /** When it is the right one; `{method}` is its name. */
  readonly advice?: 'whichAddress' | 'whichWallet'
  readonly icon: IconName
  /** A chunk of its own, loaded when it is chosen; absent for what the server renders itself. */
  readonly load?: () => Promise<MethodPart>
  /** How it can finish what has begun, and what its button says. */
  readonly rest?: { readonly title: PlainKey; readonly load: () => Promise<RestPart> }
  /** Nothing of ours is behind it yet: shown only as not available, with the service's reason. */
  readonly named?: true
}

/** In the order in which they are offered. The page shows a method of the service's list only if it has a line here. */
export const methods: readonly MethodEntry[] = [
  {
    slug: 'wallet',
    wire: 'WALLET',
    title: 'wallet',
    hint: 'walletHint',
    advice: 'whichWallet',
    icon: 'wallet',
    load: async () => {
      const [{ walletScreen }, { wallet }] = await Promise.all([import('./x402/view/wallet-view.tsx'), import('./x402/flow.ts')])
      return (start) => walletScreen(start(wallet))
    },
    rest: {
      title: 'restWallet',
      load: async () => {
        const [{ restScreen }, { rest }] = await Promise.all([import('./x402/view/rest-view.tsx'), import('./x402/rest-flow.ts')])
        return (start) => restScreen(start(rest))
      },
    },
  },
  { slug: 'address', wire: 'DEPOSIT_ADDRESS', title: 'address', hint: 'addressHint', advice: 'whichAddress', icon: 'qr' },
  {
    slug: 'card',
    wire: 'CARD',
    title: 'card',
    hint: 'cardHint',
    icon: 'card',
    load: async () => (await import('./views/card.tsx')).cardPart,
  },
]
