import type { Emit } from './events.ts'
import type { SessionSetting } from './session.ts'
import type { OrderSource, Session } from './till.ts'

/** Both elements take an order as an attribute or property, and report the events of its session. */
export class OrderElement extends HTMLElement {
  static observedAttributes = ['order', 'brand', 'theme']
  /** @internal */
  source: OrderSource | undefined
  /** @internal The order of the current session. A change is compared with it. */
  shown: OrderSource | undefined
  session: Session | undefined

  /** The property takes precedence over the attribute, because only the property can be a function. */
  get order(): OrderSource | undefined {
    return this.source ?? this.getAttribute('order') ?? undefined
  }
  set order(order: OrderSource | undefined) {
    this.source = order
    this.changed('order')
  }
  connectedCallback() {
    // A framework may have set the property before this class was defined.
    if (!Object.hasOwn(this, 'order')) return
    const { order } = this
    delete (this as { order?: unknown }).order
    this.source = order
  }
  disconnectedCallback() {
    this.session?.close()
    this.shown = undefined
  }
  attributeChangedCallback(name: string, _: string | null, value: string | null) {
    if (name === 'brand') this.style.setProperty('--brand', value)
    else this.changed(name)
  }
  // oxlint-disable-next-line no-unused-vars -- subclasses use the argument
  changed(_: string) {}
  /** @internal */
  setting: SessionSetting = (name) => this.getAttribute(name)
  /** @internal */
  tell: Emit = (type, detail) => {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }
}
