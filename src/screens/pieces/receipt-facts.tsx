import { dayAndTime } from '../../i18n/day.ts'
import { transactionLabel } from '../../i18n/transaction-label.ts'
import { useAllWords } from '../../i18n/words.ts'
import { referenceOf, unsignedRecipientOf } from '../../order/merchant.ts'
import { totalOf } from '../../order/order-lines.ts'
import { receiptOf } from '../../order/receipt.ts'
import { paidOf } from '../../order/ending.ts'
import { isSurplusReturned } from '../../order/surplus-returned.ts'
import { Address } from '../../ui/address.tsx'
import { Facts, type Fact } from '../../ui/facts.tsx'
import { FundsText } from '../../i18n/amount-text.tsx'
import { useMerchant, usePage } from './page-context.ts'
import { Transaction } from './transaction.tsx'

/** The page, its printout and the downloaded receipt share this, so that they state the same facts. */
export const ReceiptFacts = () => {
  const words = useAllWords()
  const merchant = useMerchant()
  const { checkout, clock } = usePage()
  const order = checkout.order.value
  const { at, currency, isConverted, above, charged, rate, fiat, transactions } = receiptOf(order)
  const paid = paidOf(order)
  const total = totalOf(order)
  const recipient = unsignedRecipientOf(order)
  const zone = clock.zone.value
  const inDollars = (token: string, price: string): Fact => [
    words.t('rate'),
    <span class="num">{words.t('rateLine', { token, price: words.fiat(price, 'usd') })}</span>,
  ]
  return (
    <section class="card" aria-label={words.t('receipt')}>
      <Facts
        of={[
          [words.t('paidTo'), recipient ? <Address value={recipient} /> : merchant],
          [words.t('order'), <bdi>{referenceOf(order)}</bdi>],
          at !== undefined && [words.t('date'), <time dateTime={new Date(at).toISOString()}>{dayAndTime(words, at, zone)}</time>],
          total && [words.t('total'), <span class="num">{words.fiat(total.decimal, total.unit)}</span>],
          (charged || currency) && [
            words.t('paidWith'),
            <>
              {charged ? (
                <>
                  {words.t('card')} · <span class="num">{words.fiat(charged.decimal, charged.unit)}</span>
                </>
              ) : (
                currency && (isConverted && paid.amount ? words.funds(paid.amount) : words.tokenOn(currency))
              )}
              {above && (
                <small>
                  {words.rich(isConverted && !charged ? 'conversionIncluded' : 'feesIncluded', {
                    fee: <span class="num">{words.fiat(above.decimal, above.unit)}</span>,
                  })}
                </small>
              )}
            </>,
          ],
          rate !== undefined && currency && inDollars(currency.symbol, rate),
          fiat && inDollars(fiat.unit, fiat.rate),
          paid.sent && [words.t('youSent'), <FundsText of={paid.sent} />],
          paid.surplus && [
            words.t('over'),
            <span class="good">
              <FundsText of={paid.surplus} /> · {words.t(isSurplusReturned(order, paid.surplus.raw) ? 'refunded' : 'heldForYou')}
            </span>,
          ],
          ...transactions.map((transaction): Fact => [transactionLabel(words, transaction.funds), <Transaction of={transaction} />]),
        ]}
      />
    </section>
  )
}
