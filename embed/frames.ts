/** The second file of the script, with everything for frames. What it needs from the first file is passed to it. */
export { connect } from './connect.ts'
export { createInline } from './inline.ts'
export { createModal } from './modal.ts'
