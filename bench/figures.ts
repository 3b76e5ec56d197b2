/** A row of the table compares our figure with that of the plainest program that does the same, and with what we promise. */
export interface Figure {
  readonly what: string
  readonly unit: string
  readonly till: number
  readonly plain: number
  /** The table's last column says how the plain figure was produced. */
  readonly by: string
  /** The table says whether our figure is at most this. */
  readonly budget?: number
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value >= 10 ? value.toFixed(1) : value.toFixed(2)

export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, unit, till, plain, by, budget }) => [
    what,
    `${shown(till)} ${unit}`,
    `${shown(plain)} ${unit}`,
    plain === 0 ? '' : `${shown(till / plain)}×`,
    budget === undefined ? '' : `${till <= budget ? 'kept' : 'BROKEN'} (≤ ${shown(budget)} ${unit})`,
    by,
  ])
  const head = ['', 'Till', 'plain', 'ratio', 'promise', 'plain means']
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)))
  return [head, ...rows]
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Repeats `work` for this many seconds. `times` has the milliseconds of each run. */
export async function load(
  concurrency: number,
  seconds: number,
  work: () => Promise<unknown>,
): Promise<{ perSecond: number; times: number[] }> {
  const times: number[] = []
  const began = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() - began < seconds * 1_000) {
        const start = performance.now()
        await work()
        times.push(performance.now() - start)
      }
    }),
  )
  return { perSecond: times.length / ((performance.now() - began) / 1_000), times }
}
