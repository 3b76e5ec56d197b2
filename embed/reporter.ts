import type { FrameMessage } from './protocol.ts'
import type { OpenSession } from './session.ts'

/** Passes the messages of a session's page on as events. A reloaded page says its status again, which is no event. */
export const createReporter = ({ say, end }: Pick<OpenSession, 'say' | 'end'>): ((message: FrameMessage) => void) => {
  let status: string | undefined
  return (message) => {
    const { type, again, ...detail } = message as FrameMessage & { again?: boolean; status?: string }
    if (type === 'close') return end('payer')
    if (again && detail.status === status) return
    status = detail.status ?? status
    say(type, detail as never)
  }
}
