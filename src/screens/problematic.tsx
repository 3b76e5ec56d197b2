import { useWords } from '../i18n/words.ts'
import { Note } from '../ui/note.tsx'
import type { Problem } from '../wire/boot.ts'
import { usePage } from './page-context.ts'
import { problemAt } from './problem-text.ts'

/** Why the last thing asked for did not happen, at its place; nothing while all is well. */
export const Problematic = ({ at }: { at: Problem['at'] }) => {
  const { checkout } = usePage()
  const text = problemAt(useWords(), at, checkout.problem.value)
  return text ? (
    <Note icon="warn" tone="warn" live>
      <p>{text}</p>
    </Note>
  ) : null
}
