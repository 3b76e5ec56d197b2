import type { CurrencyRead } from '../wire/currency.ts'
import { currencyKey, sameCurrency } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { payCurrency } from './pay-currency.ts'

export interface Pickable {
  readonly key: string
  readonly currency: CurrencyRead
  /** The currency is the settlement asset, so nothing has to be converted. */
  readonly isSettlementAsset: boolean
  /** The order is currently quoted in it. */
  readonly chosen: boolean
  readonly raw: bigint | undefined
  /** The amount is an estimate, because only a quote gives the exact amount after conversion. */
  readonly isEstimate: boolean
}

/** The settlement asset comes first, because it needs no conversion. After a search it is listed only if the search has found it. */
export const pickable = (
  order: OrderRead,
  currencies: readonly CurrencyRead[] | undefined,
  query: string | undefined,
): readonly Pickable[] => {
  const { asset, amount } = order.fulfillment ?? {}
  const isAsset = (currency: CurrencyRead) => asset !== undefined && sameCurrency(asset, currency)
  const listed = currencies ?? []
  const own = asset && (!query || listed.some(isAsset)) ? [asset] : []
  const quoted = order.payment ? payCurrency(order) : undefined
  return [...own, ...listed.filter((currency) => !isAsset(currency))].map((currency) => ({
    key: currencyKey(currency),
    currency,
    isSettlementAsset: isAsset(currency),
    chosen: quoted !== undefined && sameCurrency(quoted, currency),
    raw: isAsset(currency) && amount ? BigInt(amount.raw) : estimate(amount?.value_usd, currency),
    isEstimate: !isAsset(currency),
  }))
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
