import { useWords } from '../../i18n/words.ts'
import { Icon } from '../../ui/icon.tsx'
import { keepServerHtml } from '../../ui/keep-server-html.ts'
import { useMerchant, useServerRendered } from '../pieces/page-context.ts'

/** An invoice's page shows the invoice beside the payment, where other pages show the order's summary. */
export const InvoiceAside = () => {
  const words = useWords()
  const invoice = useServerRendered()?.invoice
  const served = invoice ? undefined : keepServerHtml
  return (
    <aside class="sum mini inv" aria-label={useMerchant()}>
      <div>
        <details dangerouslySetInnerHTML={served}>{invoice?.bar}</details>
        <div class="open">
          <article class="sheet">
            <div dangerouslySetInnerHTML={served}>{invoice?.sheet}</div>
            <button type="button" class="link js" onClick={() => window.print()}>
              <Icon name="print" />
              {words.t('print')}
            </button>
          </article>
        </div>
      </div>
    </aside>
  )
}
