import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttle } from '../../server/lib/throttle.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

test('behavior: the first call runs at once, calls during its interval run once together, and none is lost', async () => {
  let answers = 0
  const call = throttle(20, () => answers++)
  call()
  call()
  await Promise.resolve()
  expect(answers).toBe(1)
  call()
  call()
  await vi.advanceTimersByTimeAsync(19)
  expect(answers).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(answers).toBe(2)
  await vi.advanceTimersByTimeAsync(100)
  call()
  await Promise.resolve()
  expect(answers).toBe(3)
})
