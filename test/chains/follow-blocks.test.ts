import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Block } from '../../server/chains/blocks/block.ts'
import { readBlockCursor } from '../../server/chains/blocks/block-cursor.ts'
import { type BlockSource, followBlocks } from '../../server/chains/blocks/follow-blocks.ts'
import { ChainUnavailable } from '../../server/chains/chain.ts'
import type { Observer, Position, Verdict } from '../../server/chains/feed.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'

/** Answers of a node that contradict each other within one step, which no real chain gives on request. */

const signal = new AbortController().signal
let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url)
})
afterAll(async () => {
  await sql?.end()
  await database?.drop()
})

/** The fork of each block from a number on, by the kind of request that reads it. */
let forks: Record<'head' | 'block' | 'scan', (number: number) => string>
let height: number
let arrived: number[]
let verdicts: ReadonlyMap<string, Verdict>
let waiting: readonly Position[]

const blockOn = (kind: keyof typeof forks, number: number): Block => ({
  number,
  hash: `${number}${forks[kind](number)}`,
  parentHash: `${number - 1}${forks[kind](number - 1)}`,
  timestamp: number,
})
const source: BlockSource = {
  chainId: 8453,
  confirmations: 3,
  pollMs: 1,
  maxRange: 100,
  head: async () => blockOn('head', height),
  block: async (number) => {
    if (number === 7) throw new ChainUnavailable(8453, 'chain_unavailable', 'this block is pruned.')
    return number > height ? undefined : blockOn('block', number)
  },
  scan: async (from, to) => ({
    blocks: Array.from({ length: to - from + 1 }, (_, index) => blockOn('scan', from + index)),
    transfers: [
      { chainId: 8453, key: `${from}`, txHash: '0x', token: null, to: '0x', amount: 1n, needed: 3, at: { height: from, id: `${from}` } },
    ],
  }),
}
const observer: Observer = {
  ours: async (addresses) => new Set(addresses),
  arrived: async (transfers) => void arrived.push(...transfers.map(({ at }) => at!.height)),
  removedAfter: async () => undefined,
  review: async (_newest, judge) => void (verdicts = await judge(waiting)),
}
const warnings: string[] = []
const start = () => followBlocks(source, { sql, log: { warn: (_, message) => void warnings.push(message) }, observer })

beforeEach(async () => {
  await sql`delete from chain_cursors`
  await sql`delete from chain_blocks`
  const same = () => ''
  forks = { head: same, block: same, scan: same }
  height = 600
  arrived = []
  waiting = []
  await start()(signal)
})

test('default: the first step begins at the newest final block, and the next ones go on from there', async () => {
  expect(arrived).toEqual([598])
  height = 610
  await start()(signal)
  expect(arrived).toEqual([598, 601])
  expect(await readBlockCursor(sql, 8453)).toEqual({ block: 610, hash: '610' })
})

test('error: blocks that do not follow the cursor are not used, because the chain changed while they were read', async () => {
  height = 603
  forks.scan = (number) => (number >= 600 ? 'fork' : '')
  await start()(signal)
  expect(arrived).toEqual([598])
  expect(await readBlockCursor(sql, 8453)).toEqual({ block: 600, hash: '600' })
  forks.scan = () => ''
  await start()(signal)
  expect(arrived).toEqual([598, 601])
})

test('error: a node that shares no block with what was read is on another chain, and nothing is read from it', async () => {
  height = 603
  forks = { head: () => 'other', block: () => 'other', scan: () => 'other' }
  await expect(start()(signal)).rejects.toThrow('the node is on another chain')
  expect(arrived).toEqual([598])
})

test('behavior: positions are judged by what was read, older ones by the node, and those that it cannot tell get no verdict', async () => {
  waiting = [
    { height: 600, id: '600' },
    { height: 600, id: '600fork' },
    { height: 12, id: '12' },
    { height: 13, id: '13fork' },
    { height: 7, id: '7' },
    { height: 602, id: '602' },
  ]
  height = 601
  await start()(signal)
  expect(Object.fromEntries(verdicts)).toEqual({
    '600': { confirmations: 2 },
    '600fork': 'gone',
    '12': { confirmations: 590 },
    '13fork': 'gone',
  })
  expect(warnings.at(-1)).toBe('cannot read the block of a pending transfer; retrying at the next block')
})
