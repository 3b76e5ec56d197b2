/** Runs the first call in a microtask. All further calls within `ms` become a single run at the end of that time. */
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
