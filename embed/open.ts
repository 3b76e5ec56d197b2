import type { Emit, Presentation } from './events.ts'
import { leave, type Ground } from './ground.ts'
import type { Modal } from './modal.ts'
import { openPopup } from './popup.ts'
import { createSession, type OpenSession } from './session.ts'
import type { OpenOptions, Session } from './till.ts'

export interface Opener {
  /** Loads an empty page of ours behind the scenes, so that the next modal finds it there. */
  prepare(): void
  /** Takes it away again. */
  release(): void
  open(options: OpenOptions, onEvent?: Emit): Session
}

/** Modal, popup and redirect, each falling back to the last before the click is lost. Inline is checkout.ts. */
export const createOpener = (ground: Ground): Opener => {
  let prepared: Promise<Modal> | undefined
  const modal = () => (prepared ??= ground.frames().then(({ createModal }) => createModal(ground))).then((made) => made.place())
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
    open: ({ order, present, theme = 'auto' }, onEvent) => {
      const open = createSession(ground, order, () => theme, onEvent)
      const presentation = pick(present)
      if (presentation === 'modal') {
        const shown = modal()
        prepared = undefined
        shown.then((placed) => placed.show(open, (id) => leave(ground, id))).catch(() => redirect(ground, open))
      } else if (presentation === 'redirect' || !openPopup(ground, open)) redirect(ground, open)
      return open.session
    },
  }
}

/** In a frame of somebody else's a modal is refused, and only a page without COOP of its own keeps hold of a popup. */
const pick = (wanted: Presentation | 'auto' | null = 'auto'): Presentation => {
  if (wanted === 'modal' || wanted === 'popup' || wanted === 'redirect') return wanted
  if (top === self) return 'modal'
  return crossOriginIsolated ? 'redirect' : 'popup'
}

const redirect = (ground: Ground, open: OpenSession) => {
  // Back again: the page may come out of the cache as it was left.
  const back = ({ persisted }: PageTransitionEvent) => persisted && open.end('payer')
  addEventListener('pageshow', back)
  open.onEnd(() => removeEventListener('pageshow', back))
  open.say('open', { presentation: 'redirect' })
  open.whenKnown((id) => leave(ground, id))
}
