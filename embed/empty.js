/** Types alone: there is nothing to run. */
export default undefined
