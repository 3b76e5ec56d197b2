import type { ProblemCode } from '../wire/problems.ts'
import type { Messages } from './messages.ts'

/** Returns the sentence for a problem code. For an unknown code it returns undefined, and the service's own sentence is shown. */
export const problemText = (messages: Partial<Messages>, code: string | undefined): string | undefined =>
  messages[`why_${code as ProblemCode}`]
