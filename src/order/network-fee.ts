import type { CurrencyRead, FoundCurrencyRead, NetworkFee } from '../wire/currency.ts'
import { sameCurrency } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { PaymentMethodRead } from '../wire/payment-methods.ts'

/** Returns about what the network asks of whoever sends this currency, if a list that the page has says so. The fee of the method is that of the order's own token. */
export const networkFeeOf = (
  { fulfillment }: OrderRead,
  currency: CurrencyRead,
  methods: readonly PaymentMethodRead[] = [],
  currencies: readonly FoundCurrencyRead[] = [],
): NetworkFee | undefined => {
  const isOwn = fulfillment?.asset && sameCurrency(fulfillment.asset, currency)
  return [
    ...currencies.filter((found) => sameCurrency(found, currency)),
    ...(isOwn ? methods.filter(({ method }) => method === 'DEPOSIT_ADDRESS') : []),
  ].find(({ network_fee: fee }) => fee?.chain_id === currency.chain_id)?.network_fee
}
