/** Calls `run` at once for the first call, and once more, after `ms`, for all calls within that time (leading and trailing edge). */
export function throttle(ms: number, run: () => void): () => void {
  let last = -Infinity
  let isScheduled = false
  const runNow = () => {
    isScheduled = false
    last = performance.now()
    run()
  }
  return () => {
    if (isScheduled) return
    isScheduled = true
    const wait = last + ms - performance.now()
    if (wait <= 0) queueMicrotask(runNow)
    else setTimeout(runNow, wait)
  }
}
