import { writtenNoticed } from './noticed.ts'
import type { Report } from './run.ts'

const sum = (tally: ReadonlyMap<string, number>): number => [...tally.values()].reduce((total, count) => total + count, 0)

/** A summary for people of the survived faults, payments and checks. */
export function written({ seed, rounds, faults, unmet, payments, invariants, noticed }: Report): string {
  const width = Math.max(...[...faults.keys(), ...payments.keys(), ...invariants.keys()].map((name) => name.length))
  const lines = (tally: ReadonlyMap<string, number>) =>
    [...tally].toSorted().map(([name, count]) => `  ${name.padEnd(width)} ${String(count).padStart(7)}`)
  return [
    `faults survived${' '.repeat(width - 13)} ${String(sum(faults)).padStart(7)}`,
    ...lines(faults),
    ...(unmet.size > 0 ? [`begun, and met by nobody`, ...lines(unmet)] : []),
    `payments made${' '.repeat(width - 11)} ${String(sum(payments)).padStart(7)}`,
    ...lines(payments),
    `invariants checked${' '.repeat(width - 16)} ${String(sum(invariants)).padStart(7)}`,
    ...lines(invariants),
    writtenNoticed(noticed),
    `seed ${seed}, ${rounds} rounds`,
  ].join('\n')
}
