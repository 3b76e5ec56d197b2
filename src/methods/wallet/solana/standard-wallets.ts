import type { SolanaSignAndSendTransactionFeature, SolanaSignTransactionFeature } from '@solana/wallet-standard-features'
import { getWallets } from '@wallet-standard/app'
import { iconOf, type ListedWallet, remembered } from '../wallets.ts'

type StandardWallet = ReturnType<ReturnType<typeof getWallets>['get']>[number]
export type Account = StandardWallet['accounts'][number]

/** A wallet that pays on Solana and has registered itself with the page (Wallet Standard). */
export interface SolanaWallet extends ListedWallet {
  readonly standard: StandardWallet
}

/** What this page asks of a wallet. A wallet has what it supports of it. */
export interface Features extends Partial<SolanaSignTransactionFeature & SolanaSignAndSendTransactionFeature> {
  readonly 'standard:connect'?: { readonly connect: () => Promise<{ readonly accounts: readonly Account[] }> }
}

export const featuresOf = ({ standard }: SolanaWallet): Features => standard.features

/** Reports the wallets that are there, and again whenever one comes or goes. */
export const discoverOnSolana = (report: (wallets: readonly SolanaWallet[]) => void, signal: AbortSignal): void => {
  const registered = getWallets()
  const last = remembered()
  const update = () => report(registered.get().flatMap((wallet) => listed(wallet, last)))
  for (const event of ['register', 'unregister'] as const) signal.addEventListener('abort', registered.on(event, update), { once: true })
  update()
}

const listed = (standard: StandardWallet, last: string | undefined): readonly SolanaWallet[] => {
  const { name, icon, chains, features } = standard
  if (!chains.some((chain) => chain.startsWith('solana:')) || !('standard:connect' in features)) return []
  const rdns = `solana:${name}`
  return [{ rdns, name: name.slice(0, 40), icon: iconOf(icon), usedBefore: rdns === last, network: 30_000_000_000_001, standard }]
}
