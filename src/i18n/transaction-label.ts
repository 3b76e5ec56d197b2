import type { Funds } from '../wire/funds.ts'
import type { Words } from './words.ts'

/** Of several transactions each says how much it brought. */
export const transactionLabel = (words: Words, funds: Funds | undefined): string =>
  funds ? `${words.t('transaction')} · ${words.token(funds.raw, funds.currency)}` : words.t('transaction')
