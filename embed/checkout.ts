import type { ScriptContext } from './frames.ts'
import { OrderElement } from './order-element.ts'
import { createSession } from './session.ts'

/** Makes the element for `<till-checkout order="…"></till-checkout>`, which shows the page in the merchant's layout. */
export const checkoutElement = (context: ScriptContext): CustomElementConstructor =>
  class extends OrderElement {
    root = this.attachShadow({ mode: 'open' })
    retheme: (() => void) | undefined

    override connectedCallback() {
      super.connectedCallback()
      this.changed('order')
    }

    /** A function that replaces another is not called, because frameworks make one at each render, and it would create a second order. */
    override changed(name: string) {
      if (name === 'theme') return this.retheme?.()
      const { order, shown, session } = this
      if (order && shown && (order === session?.order || (typeof order === typeof shown && typeof shown === 'function'))) return
      session?.close()
      // Closing the session calls the merchant's listeners, which may remove the element.
      if (!this.isConnected) return
      this.shown = order
      if (!order) return
      const open = createSession(context, order, this.setting, this.tell, this)
      this.session = open.session
      const show = () =>
        context.frames().then(({ createInline }) => {
          this.retheme = createInline(context, open, this.root)
        })
      show().catch(() => {
        open.fail(navigator.onLine ? 'refused' : 'offline', 'the script for frames did not load')
        // It appears without a click, so leaving the merchant's page has to wait for one.
        const button = context.button('Continue to checkout', () => show().catch(() => navigator.onLine && open.redirect()))
        open.onEnd(context.adopt(this.root, context.tokens))
        open.onEnd(() => this.root.replaceChildren())
        this.root.replaceChildren(button)
      })
    }
  }
