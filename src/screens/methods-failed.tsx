import { copyWords } from '../i18n/copy-words.ts'
import { useWords } from '../i18n/words.ts'
import { askField, askFor } from '../state/ask.ts'
import { hrefOf } from '../state/page.ts'
import { Act } from '../ui/act.tsx'
import { Copy } from '../ui/copy.tsx'
import { Head } from '../ui/head.tsx'
import { Icon } from '../ui/icon.tsx'
import { usePage } from './page-context.ts'
import { Problematic } from './problematic.tsx'

/** The order is there and the list of ways is not: sending to an address needs no list. */
export const MethodsFailed = () => {
  const words = useWords()
  const page = usePage()
  const { checkout, boot } = page
  const order = checkout.order.value
  const asset = order.fulfillment?.asset
  return (
    <>
      <Head seal="warn" title={words.t('methodsFailed')}>
        {words.t('methodsFailedLead')}
      </Head>
      <Problematic at="methods" />
      <a
        class="btn"
        href={hrefOf(page, { pick: false })}
        onClick={(event) => {
          if (!boot.api) return
          event.preventDefault()
          void checkout.loadMethods()
        }}
      >
        {checkout.busy.value === 'methods' ? <span class="spin" /> : <Icon name="reload" />}
        {words.t('tryAgain')}
      </a>
      {asset && (
        <Act
          action={hrefOf(page, { pick: false })}
          fields={{ act: 'currency', ...askField(asset) }}
          onAct={() => checkout.pay(askFor(asset))}
        >
          <button class="link">
            {words.t('addressInstead')}
            <Icon name="next" />
          </button>
        </Act>
      )}
      <section class="card">
        <div class="field">
          <div>
            <span class="soft">{words.t('referenceHelp')}</span>
            <b id="reference">{order.id}</b>
          </div>
          <Copy words={copyWords(words)} text={order.id} label={words.t('copyReference')} shows="reference" />
        </div>
      </section>
    </>
  )
}
