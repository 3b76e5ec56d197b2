import type { CurrencyRead } from './currency.ts'
import { currencyKey } from './funds.ts'

export const uniqueCurrencies = <C extends CurrencyRead>(currencies: readonly C[]): C[] => [
  ...new Map(currencies.map((currency) => [currencyKey(currency), currency])).values(),
]
