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
  open.whenKnown(() => {
    const go = () => popup.location.replace(open.url('popup'))
    context
      .frames()
      .then(({ followPopup }) => followPopup(context, open, popup))
      .then(go, go)
  })
  return true
}
