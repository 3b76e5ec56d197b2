import { describe, expect, test } from 'vitest'
import { hasWork, parseHeader } from '../../../server/chains/bitcoin/raw-block.ts'

/** The first block of the main network, as everybody has it. */
const first = Buffer.from(
  `01000000${'00'.repeat(32)}3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c`,
  'hex',
)
function changed(at: number, byte: number) {
  const copy = Buffer.from(first)
  copy[at] = byte
  return parseHeader(copy)!
}

describe('the work of a block', () => {
  test('default: a header is known by its hash, and says which hashes are low enough', () => {
    const header = parseHeader(first)!
    expect(header).toMatchObject({
      hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
      parentHash: '0'.repeat(64),
      target: 0xffffn << 208n,
    })
    expect(hasWork(header, 'test')).toBe(true)
  })

  test('error: a changed header has not cost the work that it claims', () => {
    for (const at of [4, 36, 68, 76]) expect(hasWork(changed(at, 1), 'test')).toBe(false)
  })

  test('behavior: on the main network a block that is as easy as the first ones were is refused', () => {
    expect(hasWork(parseHeader(first)!, 'main')).toBe(false)
    // Almost any hash is low enough for this target, as on a regtest chain.
    const easy = changed(75, 0x20)
    expect(easy.target).toBeGreaterThan(1n << 200n)
    expect(hasWork(easy, 'main')).toBe(false)
  })

  test('error: fewer bytes than a header has are none', () => {
    expect(parseHeader(first.subarray(0, 79))).toBeUndefined()
  })
})
