/** How long a new page has to last before the next one. */
const firstPauseMs = 5_000

/**
 * Browsers remember that a module could not be fetched and never ask again. A new page is the way out: the server draws
 * the right state, and the address says the choice. Only when it answers, and each time it waits longer: what the server
 * has drawn can be paid, and whoever does so is not to be disturbed over and over. The time is kept where a reload leaves it.
 */
export const renew = (): void => {
  const { at = 0, pause = 0 }: { at?: number; pause?: number } = history.state ?? {}
  const now = Date.now()
  if (now - at < pause) return
  fetch(location.href, { method: 'HEAD' }).then(
    ({ ok }) => {
      if (!ok) return
      history.replaceState({ at: now, pause: pause * 3 || firstPauseMs }, '')
      location.reload()
    },
    () => {},
  )
}
