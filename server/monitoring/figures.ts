import type { Gauge } from 'prom-client'
import { gaugeOf, type Figure } from './gauge-of.ts'
import { reading, type Reading, type ReadingParts } from './reading.ts'

/** What every reading of a process has in common. */
export type ReadingTools = Pick<ReadingParts<unknown>, 'clock' | 'onFailure'>

/** The gauges of one part of the service, and the readings that they show. */
export interface Figures {
  readonly readings: readonly Reading<unknown>[]
  readonly gauges: readonly Gauge[]
}

/** One reading for each item, each with its own deadline, and what is shown of them. */
export function figuresOf<I, T>(
  items: readonly I[],
  partsOf: (item: I) => Pick<ReadingParts<T>, 'name' | 'chain' | 'work'>,
  figures: readonly Figure<T>[],
  tools: ReadingTools,
): Figures {
  const readings = items.map((item) => reading({ ...tools, ...partsOf(item) }))
  return { readings, gauges: figures.map((figure) => gaugeOf(readings, figure)) }
}
