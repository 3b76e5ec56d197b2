import { buttonElement } from './button.ts'
import { checkoutElement } from './checkout.ts'
import { createButton } from './create-button.ts'
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
  // An element with the id `Till` is at `window.Till` too, and `<details>` even has a member `open`.
  if (queue && 'prepare' in queue) return
  const payUrl = script.src.replace(/\/till\.js.*/, '')
  const { emit, on, once } = createEmitter()
  let dropped = 0
  let retry = ''
  let loading: ReturnType<ScriptContext['frames']> | undefined
  const context: ScriptContext = {
    payUrl,
    emit,
    drop: () => void dropped++,
    createIcon,
    button: createButton,
    adopt,
    spin,
    tokens,
    frames: () =>
      // A browser remembers that a file could not be fetched, so the next attempt asks for it by another name.
      (loading ??= import(/* @vite-ignore */ payUrl + TILL_FRAMES + retry).catch((error: unknown) => {
        loading = undefined
        retry += '?'
        throw error
      })),
  }
  const opener = createOpener(context)
  const till: Till = {
    on,
    once,
    prepare: opener.prepare,
    open: (options) => opener.open(options.order, (name) => (name in options ? `${options[name as 'theme']}` : null)),
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
  // A name that somebody else has defined stays theirs, and must not keep the other element from working.
  const define = (name: string, element: CustomElementConstructor) => customElements.get(name) || customElements.define(name, element)
  define('till-button', buttonElement(opener))
  define('till-checkout', checkoutElement(context))
  if (Array.isArray(queue)) till.push(...queue)
}
// With `type="module"` no script is the current one.
start((document.currentScript ?? document.querySelector('[src*="/till.js"]')) as HTMLScriptElement, window.Till)
