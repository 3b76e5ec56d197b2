/** `wake` ends a sleep early. A call between two sleeps ends the next sleep at once, so that no wake-up is lost. */
export interface Wakeable {
  wake(): void
  /** Resolves after a wake-up, after `ms` or when the signal aborts. Only one caller may sleep at a time. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export function wakeable(): Wakeable {
  let isWoken = false
  let end = (): void => undefined
  return {
    wake() {
      isWoken = true
      end()
    },
    async sleep(ms, signal) {
      if (!isWoken && !signal?.aborted)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(() => end(), ms)
          end = () => {
            clearTimeout(timer)
            signal?.removeEventListener('abort', end)
            resolve()
          }
          signal?.addEventListener('abort', end)
        })
      isWoken = false
    },
  }
}
