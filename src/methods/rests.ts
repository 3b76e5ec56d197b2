import type { FirstKey, PlainKey } from '../i18n/messages.ts'
import type { ChainFamily } from '../wire/chain-facts.ts'
import type { RestPart } from './part.ts'

export interface RestEntry {
  readonly slug: string
  /** Its wallets can send on chains of these families. */
  readonly families: readonly (ChainFamily | undefined)[]
  /** This text labels its button. */
  readonly title: PlainKey & FirstKey
  readonly load: () => Promise<{ readonly restPart: RestPart }>
}

/** These methods can also pay the rest of an order. The list is apart from the one of all methods, because the first screens do not need it. */
export const rests: readonly RestEntry[] = [
  { slug: 'wallet', families: ['evm', 'solana'], title: 'restWallet', load: () => import('./wallet-parts.ts') },
]
