import type { ComponentChildren } from 'preact'
import { useAllWords } from '../../../i18n/words.ts'
import { Head } from '../../../ui/head.tsx'
import type { ListedWallet, Wallet } from '../wallets.ts'
import { walletName } from './wallet-name.ts'
import { Waiting } from './waiting.tsx'

interface ConnectingProps {
  readonly step: { readonly wallet: ListedWallet & Pick<Wallet, 'open'>; readonly slow: boolean }
  readonly back: ComponentChildren
  readonly onCancel: () => void
}

export const Connecting = ({ step, back, onCancel }: ConnectingProps) => {
  const words = useAllWords()
  return (
    <>
      {back}
      <Head title={words.t('continueIn', { wallet: walletName(words, step.wallet) })}>{words.t('connectLead')}</Head>
      <Waiting {...step} onCancel={onCancel} />
    </>
  )
}
