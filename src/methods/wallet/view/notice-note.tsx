import { useAllWords } from '../../../i18n/words.ts'
import { Note } from '../../../ui/note.tsx'
import type { Notice } from '../notice.ts'

interface NoticeNoteProps {
  readonly notice: Notice | undefined
  /** Most notices name neither a wallet nor a network. */
  readonly wallet?: string
  readonly network?: string
}

/** Says why the payment has stopped, if it has. */
export const NoticeNote = ({ notice, wallet = '', network = '' }: NoticeNoteProps) => {
  const words = useAllWords()
  if (!notice) return null
  const has = 'has' in notice ? words.funds(notice.has) : ''
  const needs = 'needs' in notice ? words.funds(notice.needs) : ''
  return (
    <Note live title={notice.code === 'rejected' && words.t('notSigned')}>
      <p>{notice.code === 'service_message' ? notice.message : words.t(`wallet_${notice.code}`, { wallet, network, has, needs })}</p>
    </Note>
  )
}
