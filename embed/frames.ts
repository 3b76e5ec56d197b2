import type { Context } from './context.ts'

/** till.js loads this second file only when a frame or popup is needed. It shares no state with till.js except what is passed to it. */
export { followPopup } from './follow-popup.ts'
export { createInline } from './inline.ts'
export { createModal } from './modal.ts'

/** The first file of the script also knows how to load this one. After a failure, the next call tries again. */
export interface ScriptContext extends Context {
  readonly frames: () => Promise<typeof import('./frames.ts')>
}
