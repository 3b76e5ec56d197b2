import { useWords, type Words } from '../../i18n/words.ts'
import { Note } from '../../ui/note.tsx'
import type { Problem } from '../../wire/boot.ts'
import { usePage } from './page-context.ts'

/** A failed request is explained next to the control that made it, so each place shows only its own problem. */
export const ProblemNote = ({ at }: { at: Problem['at'] }) => {
  const { checkout } = usePage()
  const text = problemAt(useWords(), at, checkout.problem.value)
  return text ? <Warning text={text} /> : null
}

export const Warning = ({ text }: { text: string }) => (
  <Note icon="warn" tone="warn" live>
    <p>{text}</p>
  </Note>
)

export const problemAt = (words: Words, at: Problem['at'], problem: Problem | undefined): string | undefined => {
  if (problem?.at !== at) return undefined
  switch (problem.code) {
    case 'said':
      return problem.message || words.t('failedAction')
    case 'offline':
      return words.t('failedAction')
    case 'often':
      return words.t('tooOften')
    case 'shape':
      return problem.message || words.t('findBad')
    default:
      return problem.code satisfies never
  }
}
