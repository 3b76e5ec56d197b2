import type { Words } from '../i18n/words.ts'
import { fundingOf, fundsOf } from '../order/funding.ts'
import { payeeOf } from '../order/merchant.ts'
import type { OrderRead } from '../wire/order-read.ts'

/** The title has the amount and the payee, so that a tab, a history entry or a shared link can be recognised. */
export const titleOf = (words: Words, order: OrderRead): string => {
  const funding = fundingOf(order)
  const due = funding
    ? { raw: funding.due > 0n ? funding.due : funding.required, currency: funding.currency }
    : fundsOf(order.fulfillment?.amount, order.fulfillment?.asset)
  const merchant = payeeOf(order)
  if (!due) return merchant ?? words.t('payment')
  return words.t('docTitle', { amount: words.funds(due), merchant: merchant ?? words.t('theShop') })
}
