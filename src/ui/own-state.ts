/** The state of one component. Only src/model may use more of this package, because whatever it writes is everybody's. */
export { useSignal as useOwnState } from '@preact/signals'
