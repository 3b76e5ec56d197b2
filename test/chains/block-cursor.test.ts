import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Block } from '../../server/chains/blocks/block.ts'
import { advanceCursor, readBlockCursor, storedBlocks } from '../../server/chains/blocks/block-cursor.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'

let recording: Recording
beforeAll(async () => {
  recording = await startRecording()
})
afterAll(() => recording?.close())

const block = (number: number, fork = ''): Block => ({
  number,
  hash: `0x${number}${fork}`,
  parentHash: `0x${number - 1}${fork}`,
  timestamp: number,
})

test('error: a cursor advances only from where the scan began, and otherwise nothing of the scan is stored', async () => {
  const { sql } = recording
  const at = (block: Block) => ({ block: block.number, hash: block.hash })
  const advance = (from: Block | undefined, ...blocks: Block[]) => advanceCursor(sql, 8453, from && at(from), blocks)
  const standing = async () => [await readBlockCursor(sql, 8453), (await storedBlocks(sql, 8453, 100)).map(({ hash }) => hash)]

  await advance(undefined, block(1))
  await advance(block(1), block(2), block(3))
  const before = [at(block(3)), ['0x3', '0x2', '0x1']]
  expect(await standing()).toEqual(before)
  // These cursors belong to a process that has lost the chain's lease to another.
  for (const from of [undefined, block(1), block(3, 'fork')])
    await expect(advance(from, block(2, 'fork'), block(4, 'fork'))).rejects.toThrow('another process has moved the cursor')
  expect(await standing()).toEqual(before)
  await advance(block(3), block(4))
  expect(await readBlockCursor(sql, 8453)).toMatchObject(at(block(4)))
})
