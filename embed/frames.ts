/** The second file of the script, with everything for frames. What it needs from the first file is passed to it. */
export { connect } from './connect.ts'
export { createInline } from './inline.ts'
export { createModal } from './modal.ts'

/** Loads this file once. After a failure, the next call tries again. */
export type LoadFrames = () => Promise<typeof import('./frames.ts')>
