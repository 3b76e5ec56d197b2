import type { CurrencyRead } from '../wire/currency.ts'
import type { Fiat } from '../wire/fiat.ts'
import { sameCurrency, type Funds } from '../wire/funds.ts'
import { isCharged } from '../wire/is-charged.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { abovePrice, chargedAbovePrice } from './above-price.ts'
import { askedOf } from './funding.ts'
import { chargedTotalOf } from './fiat.ts'
import { payCurrency } from './pay-currency.ts'
import { parseTime } from './times.ts'
import { explorerLink, explorerOf } from './explorer-link.ts'
import { transfersOf } from './transfers.ts'

export interface ReceiptTransaction {
  readonly hash: string
  readonly link: string | undefined
  /** How much this one brought, if there are several. */
  readonly funds?: Funds
}

export interface ReceiptFacts {
  readonly at: number | undefined
  readonly currency: CurrencyRead | undefined
  /** It was converted into the settlement asset. */
  readonly isConverted: boolean
  /** Beyond the price this much was paid for the conversion, or in fees. */
  readonly above: Fiat | undefined
  /** A payer by card has never had the currency. */
  readonly charged: Fiat | undefined
  /** One unit of the currency costs this many US dollars, if the order states a rate. */
  readonly rate: string | undefined
  /** One unit of a fiat currency other than the dollar costs this many US dollars, if the order was priced in it and states this. */
  readonly fiat: { readonly unit: string; readonly rate: string } | undefined
  readonly transactions: readonly ReceiptTransaction[]
}

/** Returns what the card was charged, all costs included, once that has paid the order. */
export const chargedOf = (order: OrderRead): Fiat | undefined => (isCharged(order) ? chargedTotalOf(order) : undefined)

export const receiptOf = (order: OrderRead): ReceiptFacts => {
  const currency = payCurrency(order)
  const transfers = transfersOf(order).filter((transfer) => transfer.misdirected === undefined && transfer.state !== 'back')
  const source = order.payment?.source_tx_hash
  const transactions: ReceiptTransaction[] = transfers.map((transfer) => ({
    hash: transfer.hash,
    link: explorerLink(order, transfer),
    ...(transfers.length > 1 && { funds: transfer.funds }),
  }))
  if (transactions.length === 0 && source && currency)
    transactions.push({ hash: source, link: explorerOf(order, currency.chain_id, source) })
  const { asset, rate_usd: assetRate, fiat_unit: unit, fiat_unit_usd: fiatRate } = order.fulfillment ?? {}
  const paid = askedOf(order, 'required')
  const charged = chargedOf(order)
  const isConverted = currency !== undefined && asset !== undefined && !sameCurrency(currency, asset)
  const rate = isConverted ? String(currency.price_usd) : assetRate
  return {
    at: parseTime(order.updated_at) ?? parseTime(order.created_at),
    currency,
    isConverted,
    above: charged ? chargedAbovePrice(order, charged) : paid && abovePrice(order, paid),
    charged,
    rate: !charged && isDecimal(rate) ? rate : undefined,
    fiat:
      unit && !charged && unit.toLowerCase() !== 'usd' && isDecimal(fiatRate) ? { unit: unit.toUpperCase(), rate: fiatRate } : undefined,
    transactions,
  }
}

const isDecimal = (text: string | undefined): text is string => text !== undefined && /^\d+(\.\d+)?$/.test(text)
