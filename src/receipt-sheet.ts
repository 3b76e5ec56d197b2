import { dayAndTime } from './i18n/day.ts'
import { catalogue } from './i18n/catalogue.ts'
import { transactionLabel } from './i18n/transaction-label.ts'
import { createWords } from './i18n/words.ts'
import { paidOf } from './order/ending.ts'
import { payeeOf, referenceOf, unsignedRecipientOf } from './order/merchant.ts'
import { linesOf, totalOf } from './order/order-lines.ts'
import { receiptOf } from './order/receipt.ts'
import { stepOf } from './order/step.ts'
import { isSurplusReturned } from './order/surplus-returned.ts'
import { directionOf } from './wire/locale.ts'
import type { ReceiptFact, ReceiptSheetOf } from './wire/receipt-sheet.ts'

/** States on paper what the page states (pieces/receipt-facts.tsx), in the same order. The server knows no time zone of the payer. */
export const receiptSheet: ReceiptSheetOf = ({ order, locale, now }) => {
  if (stepOf(order, { pick: false }, now).at !== 'done') return undefined
  const paid = paidOf(order)
  const words = createWords(locale, catalogue[locale])
  const merchant = payeeOf(order) ?? words.t('theShop')
  const reference = referenceOf(order)
  const { at, currency, isConverted, above, charged, rate, fiat, transactions } = receiptOf(order)
  const total = totalOf(order)
  const recipient = unsignedRecipientOf(order)
  const inDollars = (token: string, price: string): ReceiptFact => ({
    label: words.t('rate'),
    value: words.t('rateLine', { token, price: words.fiat(price, 'usd') }),
    as: 'money',
  })
  const facts: (ReceiptFact | false | undefined)[] = [
    { label: words.t('paidTo'), value: recipient ?? merchant, ...(recipient !== undefined && { as: 'code' }) },
    { label: words.t('order'), value: reference },
    at !== undefined && { label: words.t('date'), value: dayAndTime(words, at, 'UTC') },
    total && { label: words.t('total'), value: words.fiat(total.decimal, total.unit), as: 'money' },
    charged
      ? { label: words.t('paidWith'), value: `${words.t('card')} · ${words.fiat(charged.decimal, charged.unit)}` }
      : currency && { label: words.t('paidWith'), value: isConverted && paid.amount ? words.funds(paid.amount) : words.tokenOn(currency) },
    above && {
      label: '',
      value: words.t(isConverted && !charged ? 'conversionIncluded' : 'feesIncluded', { fee: words.fiat(above.decimal, above.unit) }),
    },
    rate !== undefined && currency !== undefined && inDollars(currency.symbol, rate),
    fiat && inDollars(fiat.unit, fiat.rate),
    paid.sent && { label: words.t('youSent'), value: words.funds(paid.sent) },
    paid.surplus && {
      label: words.t('over'),
      value: `${words.funds(paid.surplus)} · ${words.t(isSurplusReturned(order, paid.surplus.raw) ? 'refunded' : 'heldForYou')}`,
    },
    ...transactions.map(({ hash, link, funds }): ReceiptFact => ({ label: transactionLabel(words, funds), value: hash, as: 'code', link })),
  ]
  return {
    locale,
    dir: directionOf(locale),
    title: words.t('receipt'),
    amount: charged ? words.fiat(charged.decimal, charged.unit) : paid.amount && words.funds(paid.amount),
    merchant,
    reference,
    at,
    lines: linesOf(order).map(({ name, quantity, total: price, unit }) => ({
      name,
      detail: quantity === undefined ? undefined : words.t('quantity', { count: words.count(quantity) }),
      amount: price === undefined ? undefined : words.fiat(price, unit),
    })),
    facts: facts.filter((fact) => fact !== undefined && fact !== false),
    testMode: order.is_live === false ? words.t('testMode') : undefined,
  }
}
