/**
 * Runs `work` with a signal that aborts after so many milliseconds, or when the caller's signal does. A timer holds the signal, because Node
 * collects an `AbortSignal.timeout` that only an `AbortSignal.any` refers to, and then it never aborts (nodejs/node#57736).
 */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const deadline = new AbortController()
  const follow = () => deadline.abort(signal?.reason)
  const timer = setTimeout(() => deadline.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms)
  signal?.addEventListener('abort', follow, { once: true })
  try {
    return await work(deadline.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', follow)
  }
}
