import { useWords } from '../i18n/words.ts'
import { hrefOf } from '../state/page.ts'
import { transfersOf } from '../state/transfers.ts'
import { Ask } from '../ui/ask.tsx'
import { Note } from '../ui/note.tsx'
import { usePage } from './page-context.ts'
import { problemAt } from './problem-text.ts'

const hashShape = /^[A-Za-z0-9]{32,128}$/

/** By a transaction hash, where the service knows how. */
export const FindPayment = () => {
  const words = useWords()
  const page = usePage()
  const { checkout } = page
  const problem = checkout.problem.value
  const choice = checkout.choice.value
  const found = checkout.found.value
  // What came another way is named by its own notice; it does not count.
  const isStray = transfersOf(checkout.order.value).some((transfer) => transfer.hash === found && transfer.stray !== undefined)
  if (!checkout.findable.value) return null
  return (
    <>
      <Ask
        id="tx"
        action={hrefOf(page, choice)}
        still={choice.form || problem?.at === 'find' ? undefined : hrefOf(page, { ...choice, form: true })}
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
        placeholder="0x"
        value={problem?.at === 'find' ? problem.typed : undefined}
        problem={problemAt(words, 'find', problem)}
        onAct={(typed) => (hashShape.test(typed) ? checkout.find(typed) : checkout.complain({ at: 'find', code: 'shape', typed }))}
      />
      {found && !isStray && (
        <Note icon="check" tone="ok" live>
          <p>{words.t('foundIt')}</p>
        </Note>
      )}
    </>
  )
}
