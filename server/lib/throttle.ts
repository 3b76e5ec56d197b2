/** The first call is answered at once; those that come within `ms` of it have one answer together, at its end. */
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
