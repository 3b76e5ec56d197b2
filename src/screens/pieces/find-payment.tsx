import { useWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import { currencyFamily } from '../../order/currency-family.ts'
import { payCurrency } from '../../order/pay-currency.ts'
import { transfersOf } from '../../order/transfers.ts'
import { TextForm } from '../../ui/text-form.tsx'
import { Note } from '../../ui/note.tsx'
import { usePage } from './page-context.ts'
import { problemAt } from './problem-note.tsx'

const hashShape = /^[A-Za-z0-9]{32,128}$/

/** The payer enters a transaction hash. The form disappears if the service cannot look up transactions. */
export const FindPayment = () => {
  const words = useWords()
  const page = usePage()
  const { checkout } = page
  const problem = checkout.problem.value
  const choice = checkout.choice.value
  const currency = payCurrency(checkout.order.value)
  if (!checkout.findable.value) return null
  return (
    <>
      <TextForm
        id="tx"
        action={hrefOf(page, choice)}
        staticUrl={choice.form || problem?.at === 'find' ? undefined : hrefOf(page, { ...choice, form: true })}
        fields={{ act: 'find' }}
        label={
          <>
            <b>{words.t('findTitle')}</b>
            <br />
            <small>{words.t('findLead')}</small>
          </>
        }
        button={words.t('findIt')}
        busy={checkout.busy.value === 'find'}
        placeholder={currency && currencyFamily(currency) !== 'evm' ? undefined : '0x'}
        value={problem?.at === 'find' ? problem.typed : undefined}
        problem={problemAt(words, 'find', problem)}
        onAct={(typed) => (hashShape.test(typed) ? checkout.find(typed) : checkout.setProblem({ at: 'find', code: 'shape', typed }))}
      />
      <Found />
    </>
  )
}

/** Says that what the payer has looked for counts. What is held or misdirected does not, which the page says elsewhere. */
export const Found = () => {
  const words = useWords()
  const { checkout } = usePage()
  const found = checkout.found.value
  const isCounted = !transfersOf(checkout.order.value).some(
    ({ hash, state, misdirected }) => hash === found && (state === 'held' || misdirected !== undefined),
  )
  if (!found || !isCounted) return null
  return (
    <Note icon="check" tone="ok" live>
      <p>{words.t('foundIt')}</p>
    </Note>
  )
}
