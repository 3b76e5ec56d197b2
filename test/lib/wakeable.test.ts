import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { wakeable } from '../../server/lib/wakeable.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

async function passed(sleep: Promise<void>, ms: number): Promise<boolean> {
  let isOver = false
  void sleep.then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(ms)
  return isOver
}

test('default: sleeps for the given time', async () => {
  const sleeper = wakeable()
  expect(await passed(sleeper.sleep(100), 99)).toBe(false)
  expect(await passed(sleeper.sleep(0), 2)).toBe(true)
})

test('behavior: wakes early, also by a call from before it slept, and then sleeps again', async () => {
  const sleeper = wakeable()
  const sleep = sleeper.sleep(1_000)
  sleeper.wake()
  expect(await passed(sleep, 0)).toBe(true)
  sleeper.wake()
  sleeper.wake()
  expect(await passed(sleeper.sleep(1_000), 0)).toBe(true)
  expect(await passed(sleeper.sleep(1_000), 999)).toBe(false)
})

test('behavior: ends when its signal aborts, and leaves no timer and no listener', async () => {
  const sleeper = wakeable()
  const stop = new AbortController()
  const removed = vi.spyOn(stop.signal, 'removeEventListener')
  await Promise.all([sleeper.sleep(1_000, stop.signal), Promise.resolve().then(() => stop.abort())])
  expect(removed).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
  expect(await passed(sleeper.sleep(1_000, stop.signal), 0)).toBe(true)
})
