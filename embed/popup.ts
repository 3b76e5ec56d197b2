import { orderUrl, type Context } from './context.ts'
import type { LoadFrames } from './frames.ts'
import { windowName, type OpenSession } from './session.ts'

/**
 * Opens a window of its own. It opens empty while the click still counts, and is filled when the order is known. Returns false if the
 * browser blocks it. If COOP cuts the connection to the window, no message comes, and nothing is concluded from that.
 */
export const openPopup = (context: Context, loadFrames: LoadFrames, open: OpenSession): boolean => {
  const popup = window.open('', windowName(), 'popup,width=480,height=760')
  if (!popup) {
    open.fail('blocked', 'the popup was blocked')
    return false
  }
  open.say('open', { presentation: 'popup' })
  open.onEnd(() => popup.close())
  open.whenKnown((id) => {
    const go = () => popup.location.replace(orderUrl(context, 'popup', id))
    loadFrames()
      .then(({ connect }) => {
        let watch: ReturnType<typeof setInterval> | undefined
        connect(
          context,
          open,
          () => popup,
          (message) => {
            // A window that COOP cut off looks closed, so only one that has sent a message is watched.
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
