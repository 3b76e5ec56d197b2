import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { forEachConcurrently } from '../../server/lib/for-each-concurrently.ts'

test('default: visits every item once, with limited concurrency', async () => {
  let now = 0
  let most = 0
  const done: number[] = []
  await forEachConcurrently(2, [1, 2, 3, 4, 5], async (item) => {
    most = Math.max(most, ++now)
    await setImmediate()
    now--
    done.push(item)
  })
  expect([done.toSorted(), most]).toEqual([[1, 2, 3, 4, 5], 2])
})

test('error: the first failure stops the rest and is thrown once nothing is running any more', async () => {
  const begun: number[] = []
  const ended: number[] = []
  const working = forEachConcurrently(2, [1, 2, 3, 4], async (item) => {
    begun.push(item)
    if (item === 1) throw new Error('the first')
    await setImmediate()
    ended.push(item)
    throw new Error('another')
  })
  await expect(working).rejects.toThrow('the first')
  expect([begun, ended]).toEqual([[1, 2], [2]])
})
