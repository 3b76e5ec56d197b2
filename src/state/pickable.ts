import type { CurrencyRead } from '../wire/currency.ts'
import { currencyKey, sameCurrency } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { estimate } from './estimate.ts'
import { payCurrency } from './pay-currency.ts'

export interface Pickable {
  readonly key: string
  readonly currency: CurrencyRead
  /** The merchant's own: nothing is converted. */
  readonly own: boolean
  /** What the order is quoted in at the moment. */
  readonly chosen: boolean
  readonly raw: bigint | undefined
  /** Only a quote is exact. */
  readonly about: boolean
}

/** The settlement asset first, then what else the service takes; in a search only what was found. */
export const pickable = (
  order: OrderRead,
  currencies: readonly CurrencyRead[] | undefined,
  query: string | undefined,
): readonly Pickable[] => {
  const { asset, amount } = order.fulfillment ?? {}
  const isOwn = (currency: CurrencyRead) => asset !== undefined && sameCurrency(asset, currency)
  const listed = currencies ?? []
  const own = asset && (!query || listed.some(isOwn)) ? [asset] : []
  const quoted = order.payment ? payCurrency(order) : undefined
  return [...own, ...listed.filter((currency) => !isOwn(currency))].map((currency) => ({
    key: currencyKey(currency),
    currency,
    own: isOwn(currency),
    chosen: quoted !== undefined && sameCurrency(quoted, currency),
    raw: isOwn(currency) && amount ? BigInt(amount.raw) : estimate(amount?.value_usd, currency),
    about: !isOwn(currency),
  }))
}
