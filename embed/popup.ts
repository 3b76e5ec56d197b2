import { orderUrl } from './context.ts'
import type { ScriptContext } from './frames.ts'
import { windowName } from './protocol.ts'
import type { OpenSession } from './session.ts'

/** Only the click allows a window, so it opens empty. Returns false if it is blocked. COOP can cut it off, so silence is not an error. */
export const openPopup = (context: ScriptContext, open: OpenSession): boolean => {
  const popup = window.open('', windowName(), 'popup,width=480,height=760')
  if (!popup) {
    open.fail('blocked', 'the popup was blocked')
    return false
  }
  open.say('open', { presentation: 'popup' })
  open.onEnd(() => popup.close())
  open.whenKnown((id) => {
    const go = () => popup.location.replace(orderUrl(context, 'popup', id))
    context
      .frames()
      .then(({ connect }) => {
        let watch: ReturnType<typeof setInterval> | undefined
        connect(
          context,
          open,
          () => popup,
          (message) => {
            // A window that COOP has cut off looks closed, so `closed` is only trusted after a first message.
            watch ??= setInterval(() => popup.closed && open.end('payer'), 500)
            open.take(message)
          },
        )
        open.onEnd(() => clearInterval(watch))
      })
      .then(go, go)
  })
  return true
}
