import type { CurrencyRead, FoundCurrencyRead, NetworkFee } from '../wire/currency.ts'
import { sameCurrency } from '../wire/funds.ts'
import type { PaymentMethodRead } from '../wire/payment-methods.ts'

/** Returns about what the network asks of whoever sends this currency, if a list that the page has says so. The fee of the methods is that of `asked`. */
export const networkFeeOf = (
  asked: CurrencyRead | undefined,
  currency: CurrencyRead,
  methods: readonly PaymentMethodRead[] = [],
  currencies: readonly FoundCurrencyRead[] = [],
): NetworkFee | undefined => {
  const isAsked = asked && sameCurrency(asked, currency)
  return [
    ...currencies.filter((found) => sameCurrency(found, currency)),
    ...(isAsked ? methods.filter(({ method }) => method === 'DEPOSIT_ADDRESS') : []),
  ].find(({ network_fee: fee }) => fee?.chain_id === currency.chain_id)?.network_fee
}
