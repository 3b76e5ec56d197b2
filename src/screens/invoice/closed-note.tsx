import { useAllWords } from '../../i18n/words.ts'
import { Note } from '../../ui/note.tsx'

/** Whoever pays a closed invoice all the same reads beside it that it is closed. */
export const ClosedNote = ({ name }: { name: string }) => {
  const words = useAllWords()
  return (
    <Note title={words.rich('closedTitle', { name: <bdi>{name}</bdi> })}>
      <p>{words.t('closedLead')}</p>
    </Note>
  )
}
