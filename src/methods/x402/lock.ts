/** One tab at a time asks the wallet for an order. Undefined: another one is at it. Where there are no locks, everyone may. */
export const takeLock = async (
  orderId: string,
  { wait, signal }: { readonly wait: boolean; readonly signal: AbortSignal },
): Promise<(() => void) | undefined> => {
  const { locks } = navigator
  if (!locks) return () => {}
  return new Promise((resolve, reject) => {
    const options = wait ? { signal } : { ifAvailable: true }
    locks
      .request(`till:x402:${orderId}`, options, (lock) => {
        if (!lock) return resolve(undefined)
        // Held until whoever took it lets go, or the tab is closed.
        return new Promise<void>((release) => resolve(() => release()))
      })
      .catch(reject)
  })
}
