import { useWords } from '../i18n/words.ts'
import { paidOf } from '../order/ending.ts'
import { chargedOf } from '../order/receipt.ts'
import { linesOf } from '../order/order-lines.ts'
import { AmountTitle, FiatTitle } from '../i18n/amount.tsx'
import { PageContext, type ScreenPage, useMerchant } from './pieces/page-context.ts'
import { ReceiptFacts } from './pieces/receipt-facts.tsx'

/** The payer saves this page, so it has no scripts or images and must look the same offline and years later. */
export const ReceiptDocument = ({ page }: { page: ScreenPage }) => (
  <PageContext.Provider value={page}>
    <Sheet page={page} />
  </PageContext.Provider>
)

const Sheet = ({ page }: { page: ScreenPage }) => {
  const words = useWords()
  const merchant = useMerchant()
  const order = page.checkout.order.value
  if (page.checkout.step.value.at !== 'done') return null
  const paid = paidOf(order)
  const charged = chargedOf(order)
  const lines = linesOf(order)
  return (
    <main class="pay lone">
      <div class="head">
        <p class="good">
          <b>{words.t('receipt')}</b>
        </p>
        {charged ? (
          <FiatTitle of={charged} said={words.t('paid')} />
        ) : (
          paid.amount && <AmountTitle of={paid.amount} said={words.t('paid')} />
        )}
        <p class="soft">{merchant}</p>
      </div>
      {lines.length > 0 && (
        <ul class="lines">
          {lines.map((line) => (
            <li>
              <span />
              <span>
                {line.name}
                {line.quantity !== undefined && <small>{words.t('quantity', { count: words.count(line.quantity) })}</small>}
              </span>
              {line.total !== undefined && <span class="num">{words.fiat(line.total, line.unit)}</span>}
            </li>
          ))}
        </ul>
      )}
      <ReceiptFacts />
      {order.is_live === false && <p class="soft">{words.t('testMode')}</p>}
    </main>
  )
}
