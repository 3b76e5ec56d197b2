/** The flows that the checkout itself drives, each loaded when it is first needed. */
export const flows = {
  address: async () => (await import('./address/flow.ts')).address,
}
