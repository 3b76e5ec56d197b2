/**
 * A phone that wakes up, a tab that comes back, a page from the back-forward cache, a network that returns: each is a
 * reason to look. A hidden page in the cache holds no line (`pagehide`).
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
