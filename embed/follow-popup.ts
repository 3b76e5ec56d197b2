import { connect } from './connect.ts'
import type { Context } from './context.ts'
import { createReporter } from './reporter.ts'
import type { OpenSession } from './session.ts'

/** Connects to the page in a window that popup.ts has opened, and ends the session when the payer closes it. */
export const followPopup = (context: Context, open: OpenSession, popup: Window): void => {
  const report = createReporter(open)
  let watch: ReturnType<typeof setInterval> | undefined
  connect(context, open, () => popup, {
    take: (message) => {
      // A window that COOP has cut off looks closed, so `closed` is only trusted after a first message.
      watch ??= setInterval(() => popup.closed && open.end('payer'), 500)
      report(message)
    },
  })
  open.onEnd(() => clearInterval(watch))
}
