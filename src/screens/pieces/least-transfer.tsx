import { FundsText } from '../../i18n/amount-text.tsx'
import { useAllWords } from '../../i18n/words.ts'
import { isNative } from '../../methods/address/view/payment-uri.ts'
import { currencyFamily } from '../../order/currency-family.ts'
import type { CurrencyRead } from '../../wire/currency.ts'

/** The least that an account of Solana may hold, in lamports. The address of an order is empty before its first transfer. */
const leastLamports = 890_880n

export const hasLeastTransfer = (currency: CurrencyRead): boolean => isNative(currency) && currencyFamily(currency) === 'solana'

/** Somebody who pays in parts has to know that the network refuses a first part that is too small. */
export const LeastTransfer = ({ currency }: { currency: CurrencyRead }) => {
  const words = useAllWords()
  return hasLeastTransfer(currency) ? (
    <p class="soft">{words.rich('leastTransfer', { amount: <FundsText of={{ raw: leastLamports, currency }} /> })}</p>
  ) : null
}
