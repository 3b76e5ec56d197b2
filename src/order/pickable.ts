import type { CurrencyRead, FoundCurrencyRead, NetworkFee } from '../wire/currency.ts'
import { currencyKey, sameCurrency } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { payCurrency } from './pay-currency.ts'

export interface Pickable {
  readonly key: string
  readonly currency: CurrencyRead
  /** The order settles in this currency, so nothing has to be converted. */
  readonly isSettlementAsset: boolean
  /** The order is currently quoted in it. */
  readonly chosen: boolean
  readonly raw: bigint | undefined
  /** The amount is an estimate, because the service has not said what it would ask for. */
  readonly isEstimate: boolean
  /** This is what the network asks of the sender, if the service has said it. */
  readonly fee: NetworkFee | undefined
  /** So long it takes from the payment until the order is paid, if the service has said it. */
  readonly seconds: number | undefined
}

/** Currencies that need no conversion come first, and after a search only if it has found them. What cannot pay the order is left out. */
export const pickable = (
  order: OrderRead,
  currencies: readonly FoundCurrencyRead[] | undefined,
  query: string | undefined,
): readonly Pickable[] => {
  const listed = currencies ?? []
  const own = ownOf(order).flatMap(({ currency, raw }) => {
    const found = listed.find((other) => sameCurrency(other, currency))
    // The search knows today's amount, and the order that with which it was made.
    return (query && !found) || found?.payable === false
      ? []
      : [
          {
            ...(found?.amount ? { currency: pricedAs(currency, found), raw: BigInt(found.amount.raw) } : { currency, raw }),
            fee: feeOf(found),
            seconds: found?.estimated_duration_seconds,
          },
        ]
  })
  const others = listed.filter((found) => found.payable !== false && !own.some(({ currency }) => sameCurrency(currency, found)))
  const quoted = order.payment ? payCurrency(order) : undefined
  const valueUsd = order.fulfillment?.amount?.value_usd
  return [
    ...own.map((row) => ({ ...row, isSettlementAsset: true, isEstimate: false })),
    ...others.map(({ amount, network_fee, estimated_duration_seconds: seconds, ...currency }) => ({
      currency,
      raw: amount ? BigInt(amount.raw) : estimate(valueUsd, currency),
      isSettlementAsset: false,
      isEstimate: !amount,
      fee: feeOf({ ...currency, network_fee }),
      seconds,
    })),
  ].map((row) => ({ ...row, key: currencyKey(row.currency), chosen: quoted !== undefined && sameCurrency(quoted, row.currency) }))
}

/** An amount goes with the price that it was made with. */
const pricedAs = (currency: CurrencyRead, { price_usd, fiat_unit_usd }: CurrencyRead): CurrencyRead => ({
  ...currency,
  price_usd,
  fiat_unit_usd,
})

/** One network's fee must not be shown for another. */
const feeOf = (found: FoundCurrencyRead | undefined): NetworkFee | undefined =>
  found?.network_fee?.chain_id === found?.chain_id ? found?.network_fee : undefined

/** The order settles in these currencies as they are. A service that lists none has the one that the merchant gets. */
const ownOf = ({
  settlements,
  fulfillment,
}: OrderRead): readonly { readonly currency: CurrencyRead; readonly raw: bigint | undefined }[] => {
  if (settlements?.length) return settlements.map(({ currency, amount }) => ({ currency, raw: BigInt(amount.raw) }))
  const { asset, amount } = fulfillment ?? {}
  return asset ? [{ currency: asset, raw: amount && BigInt(amount.raw) }] : []
}

/** The estimate is for display only and may use floats, because links and QR codes contain only exact amounts. */
const estimate = (valueUsd: number | undefined, { price_usd, decimals }: CurrencyRead): bigint | undefined => {
  if (!valueUsd || !price_usd || price_usd <= 0) return undefined
  const amount = valueUsd / price_usd
  if (!Number.isFinite(amount)) return undefined
  const places = Math.min(decimals, Math.max(2, 5 - Math.floor(Math.log10(amount))))
  const [whole = '0', fraction = ''] = amount.toFixed(Math.min(places, 20)).split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
}
