import type { Emit } from './events.ts'
import { createIcon } from './icon.ts'
import type { Opener } from './open.ts'
import { OrderElement } from './order-element.ts'
import { adopt, spin, tokens } from './style.ts'

/** A merchant can change more of the button through `::part(button)`. */
const sheet = `${tokens}
:host{display:inline-block}
button{width:100%;display:flex;align-items:center;justify-content:center;gap:8px;white-space:nowrap;font-variant-numeric:tabular-nums}
button:hover{background:color-mix(in oklab,var(--fill),var(--on) 12%)}
:host([size=small]) button{min-height:44px;padding:0 14px;font-size:.9375rem;border-radius:10px}
:host([size=large]) button{min-height:56px;padding:0 28px;font-size:1.0625rem;border-radius:14px}
:host([look=line]) button{background:none;border-color:var(--edge);color:var(--ink)}
[aria-busy=true] path{display:none}
${spin('[aria-busy=true] svg')}`

/** Makes the element for `<till-button order="…">Pay $42.50</till-button>`. */
export const buttonElement = ({ open, prepare, release }: Opener): CustomElementConstructor =>
  class extends OrderElement {
    constructor() {
      super()
      const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
      adopt(root, sheet)
      const button = document.createElement('button')
      const label = document.createElement('slot')
      const busy = (is: boolean) => button.setAttribute('aria-busy', `${is}`)
      const onEvent: Emit = (type, detail) => {
        // A page sends its height before it is shown. A popup that COOP cuts off may never send anything, so it counts as shown at once.
        if ((type !== 'open' && type !== 'resize') || ('presentation' in detail && detail.presentation === 'popup')) busy(false)
        this.tell(type, detail)
      }
      button.part.add('button')
      label.append('Pay')
      button.append(createIcon('M3 4.5h14v11H3zM3 10h4.5c0 1.4 1.1 2.2 2.5 2.2s2.5-.8 2.5-2.2H17'), label)
      root.append(button)
      for (const hint of ['pointerenter', 'touchstart', 'focusin']) this.addEventListener(hint, prepare, { passive: true })
      button.addEventListener('click', () => {
        if (button.ariaBusy === 'true') return
        busy(true)
        this.session = open(this.order, this.setting, onEvent, this)
      })
    }

    /** A prepared modal is attached to the document, so it is removed with the last button, as when a single-page app changes its view. */
    override disconnectedCallback() {
      super.disconnectedCallback()
      if (!document.querySelector('till-button')) release()
    }
  }
