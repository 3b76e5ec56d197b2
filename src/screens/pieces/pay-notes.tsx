import { FundsText } from '../../i18n/amount-text.tsx'
import { useWords } from '../../i18n/words.ts'
import type { Step } from '../../order/step.ts'
import { Note } from '../../ui/note.tsx'
import { Misdirected } from './misdirected.tsx'
import { usePage } from './page-context.ts'
import { Received } from './received.tsx'
import { Timer } from './timer.tsx'

/** These notes are loaded with the secondary screens, because a new order has no transfers and much time left. */
export const PayNotes = ({ step: { funding, until, lapsed } }: { step: Extract<Step, { at: 'pay' }> }) => {
  const words = useWords()
  const news = usePage().checkout.news.value
  return (
    <>
      {news?.type === 'vanished' && (
        <Note icon="warn" tone="warn">
          <p>{words.rich('vanished', { amount: <FundsText of={news.amount} /> })}</p>
        </Note>
      )}
      <Misdirected due={{ raw: funding.due, currency: funding.currency }} />
      <Timer until={until} lapsed={lapsed} currency={funding.currency} />
      {funding.received + funding.seen > 0n && <Received funding={funding} />}
    </>
  )
}
