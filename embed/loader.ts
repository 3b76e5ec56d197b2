import { buttonElement } from './button.ts'
import { checkoutElement } from './checkout.ts'
import { createEmitter } from './events.ts'
import { createIcon } from './icon.ts'
import { adopt, spin, tokens } from './style.ts'
import type { ScriptContext } from './frames.ts'
import { createOpener } from './open.ts'
import type { Till } from './till.ts'

/** The build replaces this with the path of the second file, whose name has a content hash. */
declare const TILL_FRAMES: string

/** Loading adds only `Till`, two custom elements, and a preconnect link to {pay_url} to the merchant's page. */
const start = (script: HTMLScriptElement, queue: Window['Till']) => {
  if (queue && 'open' in queue) return
  const payUrl = script.src.replace(/\/till\.js.*/, '')
  const { emit, on, once } = createEmitter()
  let dropped = 0
  let loading: ReturnType<ScriptContext['frames']> | undefined
  const context: ScriptContext = {
    payUrl,
    emit,
    drop: () => void dropped++,
    createIcon,
    adopt,
    spin,
    tokens,
    frames: () =>
      (loading ??= import(/* @vite-ignore */ payUrl + TILL_FRAMES).catch((error: unknown) => {
        loading = undefined
        throw error
      })),
  }
  const opener = createOpener(context)
  const till: Till = {
    on,
    once,
    prepare: opener.prepare,
    open: (options) => opener.open(options.order, (name) => (name in options ? `${options[name]}` : null)),
    mount: (target, { order, ...settings }) => {
      const element = document.createElement('till-checkout')
      for (const name in settings) element.setAttribute(name, settings[name as 'theme' | 'expect']!)
      element.order = order
      target.append(element)
      element.addEventListener('closed', () => element.remove())
      return element.session!
    },
    push: (...runs) => runs.forEach((run) => run(till)),
    get dropped() {
      return dropped
    },
  }
  window.Till = till
  const preconnect = document.createElement('link')
  preconnect.rel = 'preconnect'
  preconnect.href = payUrl
  document.head.append(preconnect)
  customElements.define('till-button', buttonElement(opener))
  customElements.define('till-checkout', checkoutElement(context))
  if (queue) till.push(...queue)
}
start(document.currentScript as HTMLScriptElement, window.Till)
