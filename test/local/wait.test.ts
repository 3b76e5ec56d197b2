import { expect, test } from 'vitest'
import { until } from '../support/wait.ts'

test('default: polls until there is an answer, and returns it', async () => {
  let attempts = 0
  expect(await until(() => ++attempts === 3 && `after ${attempts}`, { every: 1 })).toBe('after 3')
})

test('error: says what was awaited and what the last attempt said', async () => {
  await expect(until(() => 0, { timeout: 5, every: 1, what: 'a payment arrives' })).rejects.toThrow(/5 ms: a payment arrives\nit said: 0/)
  await expect(until(() => expect(1).toBe(2), { timeout: 5, every: 1 })).rejects.toThrow(/it threw: expected 1 to be 2/)
})
