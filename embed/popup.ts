import { orderUrl } from './context.ts'
import type { ScriptContext } from './frames.ts'
import { windowName } from './protocol.ts'
import type { OpenSession } from './session.ts'

/**
 * Browsers allow a window only while the click still counts, so it opens empty and is filled when the order is known. Returns false if the
 * browser blocks it. COOP can cut the connection to the window, so a lack of messages is not treated as an error.
 */
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
