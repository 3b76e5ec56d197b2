import { orderUrl, type Ground } from './ground.ts'
import { windowName, type OpenSession } from './session.ts'

/**
 * A window of its own. It opens inside the click, empty, and is filled when the order is known; false when the browser does
 * not let it open. A host with COOP cuts the connection to it: then no message comes, and nothing is concluded from that.
 */
export const openPopup = (ground: Ground, open: OpenSession): boolean => {
  const popup = window.open('', windowName(), 'popup,width=480,height=760')
  if (!popup) {
    open.fail('blocked', 'the popup was blocked')
    return false
  }
  open.say('open', { presentation: 'popup' })
  open.onEnd(() => popup.close())
  open.whenKnown((id) => {
    const go = () => popup.location.replace(orderUrl(ground, 'popup', id))
    ground
      .frames()
      .then(({ connect }) => {
        let watch: ReturnType<typeof setInterval> | undefined
        connect(
          ground,
          open,
          () => popup,
          (message) => {
            // Only a window that has spoken can be known to have gone.
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
