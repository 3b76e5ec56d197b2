import type { Block } from './blocks/block.ts'

export type BlockTimestamp = Pick<Block, 'number' | 'timestamp'>

/** On a chain with a block every second these are two minutes, and on a slow one at most half an hour. */
const maxSamples = 128
/** Timestamps are whole seconds, so a few blocks of a fast chain say nothing. */
const minBlocks = 16
const chunks = 4

/** Measures a chain by the blocks that are read anyway, so it costs no calls. It lives in memory, and every process measures for itself. */
export function blockTime() {
  let samples: readonly BlockTimestamp[] = []
  return {
    note(blocks: readonly BlockTimestamp[]): void {
      const read = new Map([...samples, ...blocks].map(({ number, timestamp }) => [number, timestamp]))
      const sorted = [...read].map(([number, timestamp]) => ({ number, timestamp })).sort((a, b) => a.number - b.number)
      samples = sorted.slice(-maxSamples)
    },
    /** Returns the seconds between two blocks, or undefined while too few are known or they come without a rhythm. */
    seconds: () => rhythmOf(samples),
  }
}

/** Blocks have a rhythm if no quarter of the ascending samples is over twice as fast as another. A chain that mines on demand has none. */
export function rhythmOf(samples: readonly BlockTimestamp[]): number | undefined {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || samples.length <= chunks || last.number - first.number < minBlocks) return undefined
  const bounds = Array.from({ length: chunks + 1 }, (_, i) => samples[Math.round((i * (samples.length - 1)) / chunks)]!)
  const paces = bounds.slice(1).map((bound, i) => paceOf(bounds[i]!, bound))
  const [fastest, slowest] = [Math.min(...paces), Math.max(...paces)]
  return fastest > 0 && slowest <= 2 * fastest ? paceOf(first, last) : undefined
}

const paceOf = (from: BlockTimestamp, to: BlockTimestamp): number => (to.timestamp - from.timestamp) / (to.number - from.number)
