import type { Emit } from './events.ts'
import type { OrderSource, Session } from './till.ts'

/** What both elements are: an order as attribute or property, a brand, a theme, a session, events. */
export class OrderElement extends HTMLElement {
  static observedAttributes = ['order', 'brand', 'theme']
  /** @internal */
  source: OrderSource | undefined
  session: Session | undefined

  /** A function gets the id when it is needed; a string is the id. */
  get order(): OrderSource | undefined {
    return this.source ?? this.getAttribute('order') ?? undefined
  }
  set order(order: OrderSource | undefined) {
    this.source = order
    this.changed('order')
  }
  connectedCallback() {
    // A framework may have set it before this class was known.
    const early = Object.getOwnPropertyDescriptor(this, 'order')
    if (!early) return
    delete (this as { order?: unknown }).order
    this.source = early.value as OrderSource
  }
  disconnectedCallback() {
    this.session?.close()
  }
  attributeChangedCallback(name: string, _: string | null, value: string | null) {
    if (name === 'brand') this.style.setProperty('--brand', value)
    else this.changed(name)
  }
  // oxlint-disable-next-line no-unused-vars -- for those who extend it
  changed(_: string) {}
  /** @internal */
  theme = () => this.getAttribute('theme')
  /** @internal */
  tell: Emit = (type, detail) => {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }
}
