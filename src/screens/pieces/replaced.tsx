import { FundsText } from '../../i18n/amount-text.tsx'
import { useAllWords, useWords } from '../../i18n/words.ts'
import { lostToReplacement } from '../../order/replaced.ts'
import { Note } from '../../ui/note.tsx'
import { usePage } from './page-context.ts'

/** The order itself says what was replaced, so this stays after a reload, unlike an announcement. */
export const Replaced = () => {
  const { checkout } = usePage()
  const lost = lostToReplacement(checkout.order.value)
  const words = useAllWords()
  if (!lost) return null
  return (
    <Note icon="warn" tone="warn">
      <p>
        {words.rich('replaced', { amount: <FundsText of={lost} /> })}{' '}
        {/* An order that has expired asks for nothing before it has a new price. */}
        {checkout.step.value.at === 'pay' && words.t('replacedDue')}
      </p>
    </Note>
  )
}

/** Says why a transfer that was seen is gone. What was replaced will not come back, so that reason takes the place of the other. */
export const Gone = () => {
  const words = useWords()
  const { checkout } = usePage()
  const news = checkout.news.value
  if (lostToReplacement(checkout.order.value)) return <Replaced />
  return news?.type === 'vanished' ? (
    <Note icon="warn" tone="warn">
      <p>{words.rich('vanished', { amount: <FundsText of={news.amount} /> })}</p>
    </Note>
  ) : null
}
