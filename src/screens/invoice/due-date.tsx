import { day } from '../../i18n/day.ts'
import { useAllWords } from '../../i18n/words.ts'
import type { InvoiceSheet } from '../../wire/boot.ts'

/** Whether an invoice is overdue is said only until it is paid (invoice-sheet.css). */
export const DueDate = ({ sheet }: { sheet: InvoiceSheet }) => {
  const words = useAllWords()
  const date = day(words.locale, sheet.due_date)
  return sheet.overdue ? <small class="overdue">{words.t('overdue', { date })}</small> : <small>{words.t('dueOn', { date })}</small>
}
