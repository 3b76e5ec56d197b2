import type { PlainKey } from '../../i18n/messages.ts'
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

const sentences = {
  said: 'failedAction',
  offline: 'failedAction',
  often: 'tooOften',
  shape: 'findBad',
} as const satisfies Record<Problem['code'], PlainKey>

/** The service's own sentence says more than ours. */
export const problemAt = (words: Words, at: Problem['at'], problem: Problem | undefined): string | undefined =>
  problem?.at === at ? problem.message || words.t(sentences[problem.code]) : undefined
