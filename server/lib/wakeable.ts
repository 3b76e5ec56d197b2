/** A sleep that `wake` ends early. A call while nobody sleeps ends the next sleep at once, so no wake-up is lost. */
export interface Wakeable {
  wake(): void
  /** Returns when somebody woke it, when `ms` have passed or when the signal aborts. One sleeper at a time. */
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
