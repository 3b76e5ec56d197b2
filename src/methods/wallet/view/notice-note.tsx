import { useAllWords } from '../../../i18n/words.ts'
import { Note } from '../../../ui/note.tsx'
import type { Notice } from '../notice.ts'
import { noticeText } from './notice-text.ts'

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
  const { title, text } = noticeText(words, notice, wallet, network)
  return (
    <Note live title={title}>
      <p>{text}</p>
    </Note>
  )
}
