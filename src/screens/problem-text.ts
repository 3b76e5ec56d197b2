import type { Words } from '../i18n/words.ts'
import type { Problem } from '../wire/boot.ts'

/** What to say at one place of the page; undefined when the problem belongs elsewhere. */
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
