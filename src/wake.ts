/**
 * Calls `wake` when a tab becomes visible (as after a phone wakes up), a page returns from the back-forward cache, or the network is back,
 * because the order may have changed meanwhile. A page in that cache must not have an open connection, so `pagehide` calls `sleep`.
 */
export const onWake = (wake: () => void, sleep: () => void, offline: () => void): (() => void) => {
  const ended = new AbortController()
  const { signal } = ended
  const whenVisible = () => {
    if (document.visibilityState === 'visible') wake()
  }
  document.addEventListener('visibilitychange', whenVisible, { signal })
  addEventListener('pageshow', (event) => event.persisted && wake(), { signal })
  addEventListener('online', wake, { signal })
  addEventListener('offline', offline, { signal })
  addEventListener('pagehide', sleep, { signal })
  return () => ended.abort()
}
