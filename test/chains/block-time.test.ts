import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { type BlockTimestamp, blockTime, rhythmOf } from '../../server/chains/block-time.ts'
import { presetBlockSeconds } from '../../server/chains/presets/presets.ts'
import { signal, startTestChain, type TestChain } from './support.ts'

/** Blocks whose gaps are these seconds, with timestamps in whole seconds. */
function blocksOf(gaps: readonly number[], start = 1_000_000): BlockTimestamp[] {
  let at = start
  return gaps.map((gap, i) => ({ number: 100 + i, timestamp: Math.floor((at += gap)) }))
}
const times = (count: number, value: number) => Array.from({ length: count }, () => value)

describe('rhythm', () => {
  test.each([0.25, 0.75, 1, 2, 12])('default: a block every %d s', (seconds) => {
    expect(Math.abs(rhythmOf(blocksOf(times(128, seconds)))! - seconds)).toBeLessThan(0.02)
  })

  test('behavior: too few blocks say nothing, nor do blocks that come on demand or after a standstill', () => {
    expect(rhythmOf([])).toBeUndefined()
    expect(rhythmOf(blocksOf(times(16, 2)))).toBeUndefined()
    expect(rhythmOf(blocksOf(times(17, 2)))).toBe(2)
    expect(rhythmOf(blocksOf(times(128, 0)))).toBeUndefined()
    expect(rhythmOf(blocksOf([...times(64, 15), ...times(64, 1)]))).toBeUndefined()
    expect(rhythmOf(blocksOf([...times(64, 2), 3600, ...times(63, 2)]))).toBeUndefined()
  })

  test('property: jitter and blocks that were never read do not change it by more than their own share', () => {
    const gap = fc.integer({ min: 80, max: 120 })
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 60 }),
        fc.array(gap, { minLength: 60, maxLength: 128 }),
        fc.integer({ min: 1, max: 5 }),
        (seconds, percents, every) => {
          const all = blocksOf(percents.map((percent) => (seconds * percent) / 100))
          const found = rhythmOf(all.filter((_, i) => i % every === 0))
          expect(found).toBeGreaterThanOrEqual(seconds * 0.75)
          expect(found).toBeLessThanOrEqual(seconds * 1.25)
        },
      ),
    )
  })

  test('property: whatever is read, in whatever order, the answer is a positive number or none', () => {
    const block = fc.record({ number: fc.integer({ min: 0, max: 300 }), timestamp: fc.integer({ min: 0, max: 2_000 }) })
    fc.assert(
      fc.property(fc.array(fc.array(block, { maxLength: 40 }), { maxLength: 10 }), (reads) => {
        const time = blockTime()
        for (const read of reads) time.note(read)
        const seconds = time.seconds()
        if (seconds !== undefined) expect(Number.isFinite(seconds) && seconds > 0).toBe(true)
      }),
    )
  })

  test('behavior: only the latest blocks count, and a block that was replaced counts once', () => {
    const time = blockTime()
    const old = blocksOf(times(200, 12))
    time.note(old)
    expect(time.seconds()).toBe(12)
    const { number, timestamp } = old.at(-1)!
    const now = times(128, 2).map((gap, i) => ({ number: number + i, timestamp: timestamp + gap * i }))
    for (const block of now) time.note([block])
    expect(time.seconds()).toBe(2)
  })
})

describe('a real chain', () => {
  let chain: TestChain
  beforeAll(async () => {
    chain = await startTestChain({ mining: 'manual' })
  })
  afterAll(() => chain?.stop())

  test('behavior: its own blocks are measured as they are read, by scans and by heads', async () => {
    // The chains of local mode mine on demand and are configured with their time, which is then not measured.
    const { blockSeconds: _, ...config } = chain.config
    const [scanning, polling] = [createEvmChain(config), createEvmChain(config)]
    expect(scanning.blockSeconds()).toBe(presetBlockSeconds(8453))
    const from = (await chain.chain.head(signal)).number + 1
    await chain.anvil.ask(['anvil_mine', '0x80', '0x7'])
    await scanning.scan(from, from + 127, signal)
    // The node sets the first block's own time by its clock.
    expect(scanning.blockSeconds()).toBeCloseTo(7, 1)
    for (let i = 0; i < 12; i++) {
      await chain.anvil.ask(['anvil_mine', '0x2', '0x3'])
      await (i % 2 ? polling.head(signal) : polling.feeRate(signal))
    }
    expect(polling.blockSeconds()).toBeCloseTo(3, 0)
    expect(createEvmChain({ ...config, blockSeconds: 0.4 }).blockSeconds()).toBe(0.4)
  })
})
