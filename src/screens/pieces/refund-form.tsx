import { useLayoutEffect, useRef } from 'preact/hooks'
import { useWords, type Words } from '../../i18n/words.ts'
import { currencyField, paymentRequest } from '../../order/pay-currency.ts'
import { hrefOf } from '../../model/page.ts'
import { Address } from '../../ui/address.tsx'
import { TextForm } from '../../ui/text-form.tsx'
import type { Problem } from '../../wire/boot.ts'
import type { CurrencyRead } from '../../wire/currency.ts'
import { useMerchant, usePage } from './page-context.ts'
import { problemAt } from './problem-note.tsx'
import { refundField, type RefundFormProps } from './refund-address.tsx'

export const addressProblem = (words: Words, problem: Problem | undefined, { chain_id }: CurrencyRead): string | undefined =>
  problem?.at === 'refund' && problem.code === 'shape'
    ? words.t('refundBad', { network: words.networkName(chain_id) })
    : problemAt(words, 'refund', problem)

export const RefundForm = ({ currency, fixed, served }: RefundFormProps) => {
  const words = useWords()
  const page = usePage()
  const merchant = useMerchant()
  const { checkout } = page
  const saved = checkout.order.value.payment?.refund?.address
  const problem = checkout.problem.value
  const choice = checkout.choice.value
  const typed = useTyped(served)
  const network = words.networkName(currency.chain_id)
  const wrong = addressProblem(words, problem, currency)
  return (
    <div class="stack">
      <p>{words.t('refundLead')}</p>
      {saved && (
        <>
          <Address value={saved} />
          <p class="good">{words.t('refundSaved')}</p>
        </>
      )}
      {fixed ? (
        <p>{words.t('refundFixed', { merchant })}</p>
      ) : (
        <TextForm
          id={refundField}
          action={hrefOf(page, choice)}
          staticUrl={choice.form || wrong ? undefined : hrefOf(page, { ...choice, form: true })}
          fields={{ act: 'refund', ...currencyField(currency) }}
          label={words.t('refundLabel', { network })}
          button={words.t('refundSave')}
          busy={checkout.busy.value === 'refund'}
          value={problem?.at === 'refund' ? problem.typed : typed || undefined}
          problem={wrong}
          onAct={(typed) => checkout.pay({ ...paymentRequest(currency), refundAddress: typed }, 'refund')}
        />
      )}
    </div>
  )
}

/** What the payer has typed into the server's form by then stays, and so does the cursor, which nothing else has taken since. */
function useTyped(served: RefundFormProps['served']): string | undefined {
  const typed = useRef(served?.value).current
  useLayoutEffect(() => {
    const field = document.querySelector<HTMLInputElement>(`#${refundField}`)
    if (!typed || !field || document.activeElement !== document.body) return
    field.focus()
    field.setSelectionRange(typed.length, typed.length)
  }, [])
  return typed
}
