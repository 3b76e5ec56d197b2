import { useWords } from '../i18n/words.ts'
import { currencyField, paymentRequest } from '../order/pay-currency.ts'
import { hrefOf } from '../model/page.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { Head } from '../ui/head.tsx'
import { Icon } from '../ui/icon.tsx'
import { usePage } from './pieces/page-context.ts'
import { ReferenceField } from './pieces/reference-field.tsx'
import { ProblemNote } from './pieces/problem-note.tsx'

/** Without the list of methods a payer can still send to an address, so this screen offers that beside a retry. */
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
      <ProblemNote at="methods" />
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
        <ActionForm
          action={hrefOf(page, { pick: false })}
          fields={{ act: 'currency', ...currencyField(asset) }}
          onAct={() => checkout.pay(paymentRequest(asset))}
        >
          <button class="link">
            {words.t('addressInstead')}
            <Icon name="next" />
          </button>
        </ActionForm>
      )}
      <section class="card">
        <ReferenceField label={words.t('referenceHelp')} value={order.id} />
      </section>
    </>
  )
}
