import type { AmountRead } from '../wire/amount.ts'
import type { CurrencyRead } from '../wire/currency.ts'
import { sameCurrency, type Funds } from '../wire/funds.ts'
import { subtractToZero } from '../wire/money.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { depositStep, payCurrency } from './pay-currency.ts'
import { transfersOf, type Transfer } from './transfers.ts'

export interface Deposit {
  readonly address: string
  readonly currency: CurrencyRead
  readonly raw: bigint
}

/**
 * `seen` is not final yet, but it is subtracted as well: due = required − received − seen, and never negative. What went back is due again, so
 * `received` is less by it until the whole has been received.
 */
export interface Funding {
  readonly currency: CurrencyRead
  readonly required: bigint
  readonly received: bigint
  readonly seen: bigint
  readonly due: bigint
}

export const depositOf = (order: OrderRead): Deposit | undefined => {
  const data = depositStep(order)?.data
  const currency = data?.currency ?? payCurrency(order)
  if (!data?.deposit_address || !currency) return undefined
  return { address: data.deposit_address, currency, raw: digits(data.amount) ?? requiredOf(order) ?? 0n }
}

export const fundingOf = (order: OrderRead): Funding | undefined => {
  const currency = payCurrency(order)
  const required = requiredOf(order)
  if (!currency || required === undefined) return undefined
  const own = transfersOf(order).filter((transfer) => sameCurrency(transfer.funds.currency, currency))
  const { received_amount, remaining_amount } = order.payment?.funding ?? {}
  const remaining = rawOf(remaining_amount)
  const received = remaining ? subtractToZero(required, remaining) : (rawOf(received_amount) ?? total(own, 'arrived'))
  const seen = total(own, 'seen')
  return { currency, required, received, seen, due: subtractToZero(required, received, seen) }
}

/** Returns what is due or required. Without a quote, that is the merchant's amount in the settlement asset. */
export const askedOf = (order: OrderRead, which: 'due' | 'required'): Funds | undefined => {
  const funding = fundingOf(order)
  return funding ? { raw: funding[which], currency: funding.currency } : priceOf(order)
}

/** Returns what is due in the order's own token, also after another one was asked for. */
export const ownDueOf = (order: OrderRead): Funds | undefined => {
  const own = priceOf(order)
  const asked = askedOf(order, 'due')
  return own && asked && !sameCurrency(own.currency, asked.currency) ? own : asked
}

/** An order that may settle in several currencies says what it asks for in each. */
const priceOf = ({ fulfillment, settlements }: OrderRead): Funds | undefined => {
  const { amount, asset } = fulfillment ?? {}
  return fundsOf((asset && settlements?.find(({ currency }) => sameCurrency(currency, asset))?.amount) ?? amount, asset)
}

/** Returns the sum of what was received and seen, unless it is zero or unknown. */
export const receivedOf = (order: OrderRead): Funds | undefined => {
  const funding = fundingOf(order)
  const raw = funding && funding.received + funding.seen
  return raw ? { raw, currency: funding.currency } : undefined
}

export const arrivedOf = (order: OrderRead): Funds | undefined => receivedOf(order) ?? askedOf(order, 'required')

export const fundsOf = (amount: AmountRead | undefined, currency: CurrencyRead | undefined): Funds | undefined =>
  amount && currency ? { raw: BigInt(amount.raw), currency } : undefined

const requiredOf = (order: OrderRead): bigint | undefined => {
  const { payment, fulfillment } = order
  const quoted = rawOf(payment?.funding?.required_amount) ?? rawOf(payment?.input?.amount) ?? digits(depositStep(order)?.data?.amount)
  if (quoted !== undefined) return quoted
  // Without a quote the amount is known only in the settlement asset, which needs no conversion.
  const currency = payCurrency(order)
  return fulfillment?.asset && currency && sameCurrency(fulfillment.asset, currency) ? rawOf(fulfillment.amount) : undefined
}

const rawOf = (amount: AmountRead | undefined) => (amount ? BigInt(amount.raw) : undefined)
const digits = (text: string | undefined) => (text && /^\d{1,78}$/.test(text) ? BigInt(text) : undefined)
const total = (transfers: readonly Transfer[], state: Transfer['state']) =>
  transfers.reduce((sum, transfer) => (transfer.state === state ? sum + transfer.funds.raw : sum), 0n)
