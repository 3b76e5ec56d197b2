import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { circuitBreaker, CircuitOpen } from '../../server/lib/circuit-breaker.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

const ask = circuitBreaker(2_000)
const hang = () => new Promise((_, reject) => setTimeout(() => reject(new Error('timed out')), 10_000))
const answer = async () => 'answered'

/** How work ended, or undefined while it goes on. */
function ending(work: Promise<unknown>): () => string | undefined {
  let ended: string | undefined
  work.then(
    (value) => (ended = String(value)),
    (error: Error) => (ended = error instanceof CircuitOpen ? 'refused' : error.message),
  )
  return () => ended
}

test('behavior: after a name has hung it is tried by one at a time, and other names never notice', async () => {
  const all = Array.from({ length: 8 }, () => ending(ask('base', hang)))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(all.map((each) => each())).toEqual(Array.from({ length: 8 }, () => 'timed out'))

  const [probe, ...rest] = Array.from({ length: 8 }, () => ending(ask('base', hang)))
  const other = ending(ask('ethereum', answer))
  await vi.advanceTimersByTimeAsync(0)
  expect(probe!()).toBe(undefined)
  expect(rest.map((each) => each())).toEqual(Array.from({ length: 7 }, () => 'refused'))
  expect(other()).toBe('answered')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(probe!()).toBe('timed out')
})

test.each([
  ['an answer', answer, 'answered'],
  ['an error that comes at once', () => Promise.reject(new Error('no such block')), 'no such block'],
] as const)('behavior: %s lets all through again', async (_, work, expected) => {
  const first = ending(ask('polygon', hang))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(first()).toBe('timed out')
  const probe = ending(ask('polygon', work))
  await vi.advanceTimersByTimeAsync(0)
  expect(probe()).toBe(expected)
  const all = Array.from({ length: 8 }, () => ending(ask('polygon', answer)))
  await vi.advanceTimersByTimeAsync(0)
  expect(all.map((each) => each())).toEqual(Array.from({ length: 8 }, () => 'answered'))
})
