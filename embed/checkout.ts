import type { Ground } from './ground.ts'
import { OrderElement } from './order-element.ts'
import { createSession } from './session.ts'

/** `<till-checkout order="…"></till-checkout>`: the page in the merchant's layout. */
export const checkoutElement = (ground: Ground): CustomElementConstructor =>
  class extends OrderElement {
    root = this.attachShadow({ mode: 'open' })
    retheme: (() => void) | undefined

    override connectedCallback() {
      super.connectedCallback()
      this.changed('order')
    }

    /** Anew with each order; nothing without one. */
    override changed(name: string) {
      if (name === 'theme') return this.retheme?.()
      this.session?.close()
      if (!this.order || !this.isConnected) return
      const open = createSession(ground, this.order, this.theme, this.tell)
      this.session = open.session
      ground.frames().then(
        ({ createInline }) => {
          this.retheme = createInline(ground, open, this.root)
        },
        () => open.fail('refused', 'the script for frames did not load'),
      )
    }
  }
