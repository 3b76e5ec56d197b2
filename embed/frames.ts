/** The second file of the script: all that has to do with frames. Handed what it needs, so that it shares no module with the first. */
export { connect } from './connect.ts'
export { createInline } from './inline.ts'
export { createModal } from './modal.ts'
