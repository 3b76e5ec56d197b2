import type { Words } from '../../../i18n/words.ts'
import type { Wallet } from '../wallets.ts'

export const walletName = (words: Words, wallet: Pick<Wallet, 'name'>): string => wallet.name || words.t('walletUnnamed')
