import { useWords } from '../../i18n/words.ts'
import { Icon } from '../../ui/icon.tsx'
import { keepServerHtml } from '../../ui/keep-server-html.ts'
import { useMerchant, useServerRendered } from '../pieces/page-context.ts'

/** An invoice's page shows the invoice beside the payment, where other pages show the order's summary. */
export const InvoiceAside = () => {
  const words = useWords()
  const sheet = useServerRendered()?.sheet
  return (
    <aside class="sum inv" aria-label={useMerchant()}>
      <div>
        <article class="sheet" dangerouslySetInnerHTML={sheet ? undefined : keepServerHtml}>
          {sheet}
        </article>
        <button type="button" class="link js" onClick={() => window.print()}>
          <Icon name="print" />
          {words.t('print')}
        </button>
      </div>
    </aside>
  )
}
