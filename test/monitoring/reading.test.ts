import { expect, test } from 'vitest'
import { reading } from '../../server/monitoring/reading.ts'

/** A reading whose answers the test gives, with the clock in its hands. */
function start(timeoutMs = 20) {
  const asked: { resolve: (value: string) => void; reject: (error: Error) => void; signal: AbortSignal }[] = []
  const failures: unknown[] = []
  let now = 0
  const work = (signal: AbortSignal) => new Promise<string>((resolve, reject) => asked.push({ resolve, reject, signal }))
  const { read } = reading({
    name: 'test',
    work,
    clock: () => now,
    timeoutMs,
    onFailure: (_, error) => failures.push(error),
  })
  return { asked, failures, read, later: () => (now += 1_000) }
}

test('default: everybody who asks within a second gets one answer', async () => {
  const { asked, read, later } = start(60_000)
  const both = Promise.all([read(), read()])
  asked[0]?.resolve('first')
  expect(await both).toEqual(['first', 'first'])
  expect(await read()).toBe('first')
  expect(asked).toHaveLength(1)
  later()
  const next = read()
  asked[1]?.resolve('second')
  expect(await next).toBe('second')
})

test('behavior: without an answer in time there is none, the read is aborted, and no other begins until it has ended', async () => {
  const { asked, failures, read, later } = start()
  expect(await read()).toBeUndefined()
  expect(asked[0]?.signal.aborted).toBe(true)
  expect(String(failures[0])).toContain('no answer within 20 ms')
  later()
  expect(await read()).toBeUndefined()
  expect(asked).toHaveLength(1)
  // It ends at last, and what it read is too old by then.
  asked[0]?.resolve('late')
  await new Promise(setImmediate)
  later()
  const next = read()
  asked[1]?.resolve('fresh')
  expect(await next).toBe('fresh')
})

test('behavior: a failure is reported when it begins, and again only after a success', async () => {
  const { asked, failures, read, later } = start(60_000)
  const answers = ['reject', 'reject', 'resolve', 'reject'] as const
  for (const [i, answer] of answers.entries()) {
    later()
    const result = read()
    if (answer === 'reject') asked[i]?.reject(new Error(`failure ${i}`))
    else asked[i]?.resolve('well')
    expect(await result).toBe(answer === 'reject' ? undefined : 'well')
  }
  expect(failures.map(String)).toEqual(['Error: failure 0', 'Error: failure 3'])
})
