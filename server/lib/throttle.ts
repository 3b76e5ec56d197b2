/** The first call is answered at once; those that come within `ms` of it have one answer together, at its end. */
export function together(ms: number, answer: () => void): () => void {
  let last = -Infinity
  let isComing = false
  const now = () => {
    isComing = false
    last = performance.now()
    answer()
  }
  return () => {
    if (isComing) return
    isComing = true
    const wait = last + ms - performance.now()
    if (wait <= 0) queueMicrotask(now)
    else setTimeout(now, wait)
  }
}
