import type { PaymentAsk } from '../api/client.ts'
import type { CurrencyRead } from '../wire/currency.ts'
import { currencyKey } from '../wire/funds.ts'

/** Asking to pay with a currency: the same thing as a form's field and as a call. */
export const askField = (currency: CurrencyRead) => ({ currency: currencyKey(currency) })

export const askFor = ({ chain_id, address }: CurrencyRead): PaymentAsk => ({ currency: { chain_id, address: address ?? null } })
