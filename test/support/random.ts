/** A random stream that is determined by its seed. */
export interface Random {
  /** Returns an integer from `least` to `most`, both included. */
  int(least: number, most: number): number
  pick<T>(items: readonly T[]): T
  shuffled<T>(items: readonly T[]): T[]
}

/** mulberry32 has 32 bits of state and gives the same numbers on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return {
    int,
    pick: (items) => items[int(0, items.length - 1)]!,
    shuffled: (items) => {
      const all = [...items]
      for (let last = all.length - 1; last > 0; last--) {
        const other = int(0, last)
        ;[all[last], all[other]] = [all[other]!, all[last]!]
      }
      return all
    },
  }
}
