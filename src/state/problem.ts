import { ApiError } from '../api/api-error.ts'
import type { Problem } from '../wire/boot.ts'

/** What went wrong, for the place where it was asked for. What is no answer, like a part of the page that did not come, is said too. */
export const problemOf = (at: Problem['at'], error: unknown, typed?: string): Problem => {
  const { status, message } = answerOf(error)
  if (status === 0 || status >= 500) return { at, code: 'offline', typed }
  if (status === 429) return { at, code: 'often', typed }
  return { at, code: 'said', message: status === 404 ? undefined : message, typed }
}

const answerOf = (error: unknown): { status: number; message: string } => {
  if (error instanceof ApiError) return error
  if (typeof error === 'object' && error !== null && 'status' in error && 'message' in error) {
    const { status, message } = error
    if (typeof status === 'number' && typeof message === 'string') return { status, message }
  }
  return { status: 0, message: '' }
}
