/** Two tabs must not ask a wallet to pay the same order. A browser without the Web Locks API has no such protection. */

/** This tab's locks by order. A second attempt in the same tab shares the lock, because waiting for itself would never end. */
const held = new Map<string, { users: number; readonly lock: Promise<(() => void) | undefined> }>()

/** Returns undefined if another tab has the lock and `wait` is false, or if waiting was aborted. */
export const takeLock = async (
  orderId: string,
  { wait, signal }: { readonly wait: boolean; readonly signal: AbortSignal },
): Promise<(() => void) | undefined> => {
  const mine = held.get(orderId) ?? { users: 0, lock: request(orderId, wait, signal) }
  held.set(orderId, mine)
  mine.users++
  let isDone = false
  const leave = () => {
    if (isDone) return
    isDone = true
    if (--mine.users > 0) return
    if (held.get(orderId) === mine) held.delete(orderId)
    // A wait that was aborted has nothing to release.
    mine.lock.then(
      (release) => release?.(),
      () => {},
    )
  }
  const lock = await mine.lock.catch(() => undefined)
  if (lock) return leave
  leave()
  return undefined
}

const request = async (orderId: string, wait: boolean, signal: AbortSignal): Promise<(() => void) | undefined> => {
  const { locks } = navigator
  if (!locks) return () => {}
  return new Promise((resolve, reject) => {
    locks
      .request(`till:x402:${orderId}`, wait ? { signal } : { ifAvailable: true }, (lock) => {
        if (!lock) return resolve(undefined)
        // The browser holds the lock until this promise resolves or the tab is closed.
        return new Promise<void>((release) => resolve(() => release()))
      })
      .catch(reject)
  })
}
