import { useAllWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import type { Step } from '../../order/step.ts'
import { contactUrl } from '../../order/support.ts'
import { keptOf } from '../../order/transfers.ts'
import { Head } from '../../ui/head.tsx'
import type { InvoiceSheet as Sheet } from '../../wire/boot.ts'
import type { Choice } from '../../wire/choice.ts'
import type { OrderRead } from '../../wire/order-read.ts'
import { Frame } from '../pieces/frame.tsx'
import { PageContext, type ScreenPage, ServerRenderedContext } from '../pieces/page-context.ts'
import { FooterContent } from '../pieces/footer-content.tsx'
import { InvoiceBar } from './invoice-bar.tsx'
import { InvoiceSheet } from './invoice-sheet.tsx'

/** An invoice that is closed before anything was paid asks for nothing. Whoever means to pay it all the same has chosen so in the URL. */
export const isClosedUnpaid = (sheet: Sheet, order: OrderRead, step: Step, choice: Choice): boolean => {
  if (!sheet.closed || choice.method !== undefined || keptOf(order).length > 0) return false
  switch (step.at) {
    case 'choose':
    case 'pick':
    case 'method':
      return true
    case 'pay':
      return step.funding.received + step.funding.seen === 0n
    case 'expired':
      return step.money === undefined
    case 'confirming':
    case 'done':
    case 'refunded':
    case 'failed':
    case 'unknown':
      return false
    default:
      return step satisfies never
  }
}

interface ClosedInvoiceProps {
  readonly page: ScreenPage
  readonly sheet: Sheet
  readonly pdf: string
}

/** Only the server renders this page, which has no script: nothing on it changes. */
export const ClosedInvoice = ({ page, sheet, pdf }: ClosedInvoiceProps) => {
  const words = useAllWords()
  const { checkout } = page
  const name = <bdi>{sheet.from.name}</bdi>
  const mail = contactUrl(`mailto:${sheet.from.email}`, words.t('invoiceNo', { number: sheet.no }))
  return (
    <PageContext.Provider value={page}>
      <ServerRenderedContext.Provider value={{ footer: <FooterContent page={page} /> }}>
        <Frame
          aside={
            <aside class="sum mini inv" aria-label={sheet.from.name}>
              <div>
                <details>
                  <InvoiceBar sheet={sheet} />
                </details>
                <div class="open">
                  <article class="sheet">
                    <div>
                      <InvoiceSheet sheet={sheet} pdf={pdf} />
                    </div>
                  </article>
                </div>
              </div>
            </aside>
          }
        >
          <Head seal="info" title={words.rich('closedTitle', { name })}>
            {words.t('closedLead')}
          </Head>
          <div class="stack">
            {mail && (
              <a class="btn" href={mail}>
                {words.rich('contact', { merchant: name })}
              </a>
            )}
            {checkout.step.value.at !== 'expired' && (
              <a class="btn two" href={hrefOf(page, { method: 'choose', pick: false })}>
                {words.t('payAnyway')}
              </a>
            )}
          </div>
        </Frame>
      </ServerRenderedContext.Provider>
    </PageContext.Provider>
  )
}
