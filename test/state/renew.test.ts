import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renew } from '../../src/renew.ts'

const reload = vi.fn()
const answers = vi.fn(async () => new Response())
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.stubGlobal('fetch', answers)
  vi.spyOn(location, 'reload').mockImplementation(reload)
  history.replaceState(null, '')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  reload.mockClear()
  answers.mockReset().mockResolvedValue(new Response())
})
async function failed() {
  renew()
  await Promise.allSettled(answers.mock.results.map(({ value }) => value as Promise<Response>))
}

test('behavior: a part that never comes brings new pages ever more rarely, not one after the other', async () => {
  const start = Date.now()
  const times: number[] = []
  reload.mockImplementation(() => times.push((Date.now() - start) / 1000))
  for (let second = 0; second < 300; second += 2) {
    vi.setSystemTime(start + second * 1000)
    await failed()
  }
  expect(times).toEqual([0, 6, 22, 68, 204])
})

test('behavior: no new page while nothing answers, and the first when it does', async () => {
  answers.mockRejectedValueOnce(new TypeError('Failed to fetch')).mockResolvedValueOnce(new Response(null, { status: 503 }))
  await failed()
  await failed()
  expect(reload).not.toHaveBeenCalled()
  await failed()
  expect(reload).toHaveBeenCalledOnce()
})
