/** till.js loads this second file only when a frame or popup is needed. It shares no state with till.js except what is passed to it. */
export { connect } from './connect.ts'
export { createInline } from './inline.ts'
export { createModal } from './modal.ts'

/** Loads this file once. After a failure, the next call tries again. */
export type LoadFrames = () => Promise<typeof import('./frames.ts')>
