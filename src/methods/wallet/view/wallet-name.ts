import type { AllWords } from '../../../i18n/words.ts'
import type { Wallet } from '../wallets.ts'

export const walletName = (words: AllWords, wallet: Pick<Wallet, 'name'>): string => wallet.name || words.t('walletUnnamed')
