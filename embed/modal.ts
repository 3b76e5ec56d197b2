import { createFrame } from './frame.ts'
import { modalSheet, lockSheet } from './frame-style.ts'
import type { Ground } from './ground.ts'
import { drawing } from './icon.ts'
import type { OpenSession } from './session.ts'
import { adopt } from './style.ts'

/** A window over the merchant's page: we draw bar and close button, the page in the frame the rest. */
export interface Modal {
  /** Attaches the dialog to the document, closed; again, if a router has replaced the body meanwhile. Returns itself. */
  place(): Modal
  /** Throws if the browser does not allow it. */
  show(open: OpenSession, refused: (id: string) => void): void
  remove(): void
}

/** Waits in the document, and stays where it is: a frame that is moved loads again. */
export const createModal = (ground: Ground): Modal => {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'open' })
  adopt(root, modalSheet)
  const dialog = document.createElement('dialog')
  dialog.ariaLabel = 'Secure checkout'
  const bar = document.createElement('div')
  const close = document.createElement('button')
  close.ariaLabel = 'Close'
  close.append(drawing('M5.5 5.5l9 9M14.5 5.5l-9 9'))
  // Says what our page has said, in its language: empty until then.
  const title = document.createElement('span')
  bar.append(drawing('M4.5 9h11v7.5h-11zM7 9V6.5a3 3 0 0 1 6 0V9'), title, close)
  const frame = createFrame(ground)
  frame.prepare()
  dialog.append(bar, frame.element)
  root.append(dialog)

  const modal: Modal = {
    place: () => {
      if (!host.isConnected) document.body.append(host)
      return modal
    },
    remove: () => host.remove(),
    show: (open, refused) => {
      const ended = new AbortController()
      open.onEnd(() => {
        ended.abort()
        // Gives the focus back to where it was.
        dialog.close()
        host.remove()
      })
      if (open.ended()) return
      dialog.showModal()
      ended.signal.onabort = adopt(document, lockSheet(innerWidth - document.documentElement.clientWidth))
      host.setAttribute('theme', open.theme() ?? '')
      const end = (event: Event) => {
        event.preventDefault()
        open.end('payer')
      }
      close.addEventListener('click', end, ended)
      // Escape, Android's back gesture, and what else the browser has for it.
      dialog.addEventListener('cancel', end, ended)
      followKeyboard(dialog, ended)
      open.say('open', { presentation: 'modal' })
      frame.fill(open, {
        refused,
        words: (said) => {
          dialog.ariaLabel = frame.element.title = title.textContent = said.title
          close.ariaLabel = said.close
        },
        take: (message) => {
          if (message.type === 'resize') dialog.style.setProperty('--fit', `${message.height}px`)
          if (message.type === 'ready') {
            dialog.className = 'ready'
            frame.element.focus()
          }
          open.take(message)
        },
      })
    },
  }
  return modal
}

/** A phone's keyboard covers what is fixed to the bottom, and on iOS moves the page under it: only this viewport knows. */
const followKeyboard = (dialog: HTMLElement, ended: AbortController): void => {
  const view = visualViewport
  if (!view) return
  const follow = () => {
    dialog.style.setProperty('--top', `${view.offsetTop}px`)
    dialog.style.setProperty('--high', `${view.height}px`)
  }
  follow()
  for (const type of ['resize', 'scroll']) view.addEventListener(type, follow, ended)
}
