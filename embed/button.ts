import { buttonSheet } from './button-style.ts'
import type { Emit, Presentation } from './events.ts'
import { drawing } from './icon.ts'
import type { Opener } from './open.ts'
import { OrderElement } from './order-element.ts'
import type { Theme } from './protocol.ts'
import { adopt } from './style.ts'

/** Makes the element for `<till-button order="…">Pay $42.50</till-button>`. */
export const buttonElement = ({ open, prepare, release }: Opener): CustomElementConstructor =>
  class extends OrderElement {
    constructor() {
      super()
      const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
      adopt(root, buttonSheet)
      const button = document.createElement('button')
      const label = document.createElement('slot')
      const busy = (is: boolean) => button.setAttribute('aria-busy', `${is}`)
      const onEvent: Emit = (type, detail) => {
        // A popup that COOP cuts off may never send anything, so the button stops being busy as soon as one opens.
        if (type === 'ready' || type === 'closed' || ('presentation' in detail && detail.presentation === 'popup')) busy(false)
        this.tell(type, detail)
      }
      button.part.add('button')
      label.append('Pay')
      button.append(drawing('M3 4.5h14v11H3zM3 10h4.5c0 1.4 1.1 2.2 2.5 2.2s2.5-.8 2.5-2.2H17'), label)
      root.append(button)
      for (const hint of ['pointerenter', 'touchstart', 'focusin']) this.addEventListener(hint, prepare, { passive: true })
      button.addEventListener('click', () => {
        if (button.ariaBusy === 'true') return
        busy(true)
        this.session = open(
          { order: this.order!, present: this.getAttribute('present') as Presentation, theme: this.getAttribute('theme') as Theme },
          onEvent,
        )
      })
    }

    /** A prepared modal is attached to the document, so it is removed with the last button, as when a single-page app changes its view. */
    override disconnectedCallback() {
      super.disconnectedCallback()
      if (!document.querySelector('till-button')) release()
    }
  }
