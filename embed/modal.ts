import { createFrame } from './frame.ts'
import { modalSheet, lockSheet } from './frame-style.ts'
import type { Context } from './context.ts'
import { createReporter } from './reporter.ts'
import type { OpenSession } from './session.ts'
import { coverWithRetry } from './try-again.ts'

/** The script draws the dialog with its bar and close button, and the page in the frame draws the rest. */
export interface Modal {
  /** Attaches the closed dialog to the document, outside the body, which routers replace and other dialogs make inert. */
  place(): Modal
  /** Throws if the browser cannot show the dialog, and the caller then redirects. */
  show(open: OpenSession): void
  remove(): void
}

/** The prepared dialog stays attached to the document, because a frame loads again when it is moved. */
export const createModal = (context: Context): Modal => {
  const { adopt, createIcon } = context
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'open' })
  adopt(root, modalSheet(context))
  const dialog = document.createElement('dialog')
  dialog.ariaLabel = 'Secure checkout'
  const bar = document.createElement('div')
  const close = document.createElement('button')
  close.ariaLabel = 'Close'
  close.append(createIcon('M5.5 5.5l9 9M14.5 5.5l-9 9'))
  // The title stays empty until our page sends it in the payer's language.
  const title = document.createElement('span')
  bar.append(createIcon('M4.5 9h11v7.5h-11zM7 9V6.5a3 3 0 0 1 6 0V9'), title, close)
  const frame = createFrame(context)
  frame.prepare()
  dialog.append(bar, frame.element)
  root.append(dialog)

  const modal: Modal = {
    place: () => {
      if (!host.isConnected) document.documentElement.append(host)
      return modal
    },
    remove: () => host.remove(),
    show: (open) => {
      const ended = new AbortController()
      open.onEnd(() => {
        ended.abort()
        // Closing the dialog, unlike only removing it, returns the focus to where it was.
        dialog.close()
        host.remove()
      })
      if (open.ended()) return
      dialog.showModal()
      if (!dialog.getClientRects().length) {
        dialog.close()
        throw new Error('this page hides the dialog')
      }
      // Whoever takes the dialog out of the document ends the session, so that the page does not stay locked.
      const watch = new MutationObserver(() => host.isConnected || open.end('host'))
      for (const parent of [document, document.documentElement]) watch.observe(parent, { childList: true })
      ended.signal.addEventListener('abort', () => watch.disconnect())
      ended.signal.onabort = adopt(document, lockSheet(innerWidth - document.documentElement.clientWidth))
      host.setAttribute('theme', open.setting('theme') ?? '')
      const end = (event: Event) => {
        event.preventDefault()
        open.end('payer')
      }
      close.addEventListener('click', end, ended)
      // `cancel` fires for Escape, Android's back gesture, and every other way in which a browser closes a dialog.
      dialog.addEventListener('cancel', end, ended)
      followKeyboard(dialog, ended)
      const report = createReporter(open)
      open.say('open', { presentation: 'modal' })
      frame.fill(open, {
        refused: open.redirect,
        unreachable: (retry) => coverWithRetry(context, dialog, retry, ended.signal),
        words: (texts) => {
          dialog.ariaLabel = frame.element.title = title.textContent = texts.title
          close.ariaLabel = texts.close
        },
        take: (message) => {
          if (message.type === 'resize') dialog.style.setProperty('--fit', `${message.height}px`)
          if (message.type === 'ready' || message.type === 'error') {
            dialog.className = 'ready'
            frame.element.focus()
          }
          report(message)
        },
      })
    },
  }
  return modal
}

/** A phone's keyboard covers what is fixed to the bottom. Only the visual viewport gives the area that stays visible. */
const followKeyboard = (dialog: HTMLElement, ended: AbortController): void => {
  const view = visualViewport
  if (!view) return
  const follow = () => {
    dialog.style.setProperty('--top', `${view.offsetTop}px`)
    dialog.style.setProperty('--height', `${view.height}px`)
  }
  follow()
  for (const type of ['resize', 'scroll']) view.addEventListener(type, follow, ended)
}
