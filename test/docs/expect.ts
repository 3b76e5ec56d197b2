import { expect } from 'vitest'

/** Checks that every shown line was printed in that order. `…` matches anything, and other lines may come between. */
export function expectShown(output: string, shown: string): void {
  const lines = output.split('\n').map((line) => line.trimEnd())
  let from = 0
  for (const wanted of shown.split('\n').filter(Boolean)) {
    const pattern = new RegExp(`^${wanted.split('…').map(escaped).join('.*')}$`)
    const at = lines.findIndex((line, index) => index >= from && pattern.test(line))
    expect(at, `${JSON.stringify(wanted)} is not in\n${output}`).toBeGreaterThanOrEqual(0)
    from = at + 1
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
