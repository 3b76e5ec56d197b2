import type { AllWords } from '../../../i18n/words.ts'
import type { Notice } from '../notice.ts'
import type { Wallet } from '../wallets.ts'

export const noticeText = (
  words: AllWords,
  notice: Notice,
  wallet: string,
  network: string,
): { readonly title?: string; readonly text: string } => {
  switch (notice.code) {
    case 'rejected':
      return { title: words.t('notSigned'), text: words.t('notSignedText', { wallet }) }
    case 'busy':
      return { text: words.t('walletBusy', { wallet }) }
    case 'locked':
      return { text: words.t('walletLocked', { wallet }) }
    case 'network':
      return { text: words.t('walletNoNetwork', { wallet, network }) }
    case 'disconnected':
      return { text: words.t('walletsEnded', { wallet }) }
    case 'pairing_expired':
      return { text: words.t('walletsPairLate') }
    case 'unreachable':
      return { text: words.t('walletsPairDown') }
    case 'failed':
      return { text: words.t('walletFailed', { wallet }) }
    case 'account':
      return { text: words.t('walletAccount') }
    case 'insufficient_balance':
      return { text: words.t('walletPoor', { has: words.funds(notice.has) }) }
    case 'gas':
      return { text: words.t('walletGas', { has: words.funds(notice.has), needs: words.funds(notice.needs) }) }
    case 'reverts':
      return { text: words.t('walletReverts') }
    case 'unsent':
      return { text: words.t('walletUnsent') }
    case 'failed_transfer':
      return { text: words.t('walletUndone') }
    case 'sign_again':
      return { text: words.t('walletAgain') }
    case 'closed':
      return { text: words.t('walletOverLead') }
    case 'service_message':
      return { text: notice.message }
    default:
      return notice satisfies never
  }
}

export const walletName = (words: AllWords, wallet: Pick<Wallet, 'name'>): string => wallet.name || words.t('walletUnnamed')
