import type { Emit, Presentation } from './events.ts'
import type { ScriptContext } from './frames.ts'
import type { Modal } from './modal.ts'
import { openPopup } from './popup.ts'
import { createSession, type OpenSession, type SessionSetting } from './session.ts'
import type { OrderSource, Session } from './till.ts'

export interface Opener {
  /** Loads an empty page of ours in a closed modal, so that the next `open` is faster. */
  prepare(): void
  release(): void
  open(order: OrderSource | undefined, setting: SessionSetting, onEvent?: Emit, holder?: object): Session
}

/** If a modal or popup cannot be opened, the whole tab is redirected, so that the payer can still pay. */
export const createOpener = (context: ScriptContext): Opener => {
  let prepared: Promise<Modal> | undefined
  const modal = () => (prepared ??= context.frames().then(({ createModal }) => createModal(context))).then((created) => created.place())
  const release = () => {
    prepared?.then(
      (unused) => unused.remove(),
      () => {},
    )
    prepared = undefined
  }
  return {
    release,
    prepare: () => {
      if (pick('auto') === 'modal') modal().catch(release)
    },
    open: (order, setting, onEvent, holder = typeof order === 'function' ? order : undefined) => {
      const open = createSession(context, order, setting, onEvent, holder)
      const presentation = pick(setting('present'))
      if (presentation === 'modal') {
        const shown = modal()
        prepared = undefined
        shown
          .then((placed) => placed.show(open))
          .catch(() => {
            // Leaving the shop without a connection would only show the browser's error page.
            if (navigator.onLine) return redirect(open)
            open.fail('offline', 'there is no connection')
            open.end('host')
          })
      } else if (presentation === 'redirect' || !openPopup(context, open)) redirect(open)
      return open.session
    },
  }
}

/** In a frame a modal would only cover that frame. A cross-origin isolated page loses the reference to a popup, so it redirects. */
const pick = (wanted: string | null): Presentation => {
  if (wanted === 'modal' || wanted === 'popup' || wanted === 'redirect') return wanted
  if (top === self) return 'modal'
  return crossOriginIsolated ? 'redirect' : 'popup'
}

const redirect = (open: OpenSession) => {
  // If the payer comes back, the browser may restore this page from its back-forward cache with the session still open.
  const back = ({ persisted }: PageTransitionEvent) => persisted && open.end('payer')
  addEventListener('pageshow', back)
  open.onEnd(() => removeEventListener('pageshow', back))
  open.say('open', { presentation: 'redirect' })
  open.whenKnown(open.redirect)
}
