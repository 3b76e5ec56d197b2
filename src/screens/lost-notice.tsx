import { useWords } from '../i18n/words.ts'
import { Note } from '../ui/note.tsx'
import { usePage } from './page-context.ts'

export const LostNotice = () => {
  const words = useWords()
  const line = usePage().line.value
  return line.at === 'lost' ? (
    <Note icon="lost" tone="warn" live title={words.t('lost')}>
      <p>{words.t('lostLead')}</p>
    </Note>
  ) : null
}
