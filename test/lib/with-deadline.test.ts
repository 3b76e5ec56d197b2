import { once } from 'node:events'
import { expect, test } from 'vitest'
import { withDeadline } from '../../server/lib/with-deadline.ts'
import { whileCollecting } from '../support/collect-garbage.ts'

const longMs = 600_000

/** Works until its signal is aborted. */
async function endless(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort')
  throw signal.reason
}

test('default: resolves to what the work resolves to, and its signal never aborts after that', async () => {
  const caller = new AbortController()
  const given = await withDeadline(longMs, caller.signal, async (signal) => ({ signal }))
  caller.abort()
  expect(given.signal.aborted).toBe(false)
})

test('error: work that takes too long ends, also if memory is collected meanwhile', async () => {
  const caller = new AbortController()
  await expect(whileCollecting(withDeadline(200, caller.signal, endless))).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(whileCollecting(withDeadline(200, undefined, endless))).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(caller.signal.aborted).toBe(false)
})

test('behavior: the shortest of several deadlines counts, also if memory is collected meanwhile', async () => {
  const nested = withDeadline(200, undefined, (signal) => withDeadline(longMs, signal, endless))
  await expect(whileCollecting(nested)).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(whileCollecting(withDeadline(longMs, AbortSignal.timeout(200), endless))).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('behavior: ends with the caller’s reason, and does not start after the caller has stopped', async () => {
  const caller = new AbortController()
  const reason = new Error('the process stops')
  const running = withDeadline(longMs, caller.signal, endless)
  caller.abort(reason)
  await expect(running).rejects.toBe(reason)
  let hasStarted = false
  await expect(withDeadline(longMs, caller.signal, () => (hasStarted = true))).rejects.toBe(reason)
  expect(hasStarted).toBe(false)
})

test('error: what the work throws is thrown', async () => {
  const problem = new Error('no answer')
  await expect(withDeadline(longMs, undefined, () => Promise.reject(problem))).rejects.toBe(problem)
})
