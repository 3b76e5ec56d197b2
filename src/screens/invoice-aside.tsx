import type { VNode } from 'preact'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useWords } from '../i18n/words.ts'
import { Icon } from '../ui/icon.tsx'

/** The paper as the server writes it. The browser keeps what is there: it never changes, so no script of it is ever loaded. */
export const SheetContext = createContext<VNode | undefined>(undefined)

const asItIs = { __html: '' }

/** Beside the ways to pay, in place of an order's summary. */
export const InvoiceAside = () => {
  const words = useWords()
  const sheet = useContext(SheetContext)
  return (
    <aside class="sum inv" aria-label={words.t('details')}>
      <div>
        {sheet ? <article class="sheet">{sheet}</article> : <article class="sheet" dangerouslySetInnerHTML={asItIs} />}
        <button type="button" class="link js" onClick={() => window.print()}>
          <Icon name="print" />
          {words.t('print')}
        </button>
      </div>
    </aside>
  )
}
