import { Gauge } from 'prom-client'
import type { Reading } from './reading.ts'

type Labels = Readonly<Record<string, string>>

export interface Sample {
  readonly labels?: Labels
  readonly value: number
}

export interface Figure<T> {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  readonly samples: (read: T) => readonly Sample[]
}

/** Shows a figure of several readings, for example of one for each chain. Those that fail have no samples, rather than old ones. */
export function gaugeOf<T>(readings: readonly Reading<T>[], { name, help, labels = [], samples }: Figure<T>): Gauge {
  return new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers: [],
    collect() {
      this.reset()
      // Without labels, resetting a gauge sets it to 0, which is not what was read.
      if (labels.length === 0) this.remove()
      for (const reading of readings) {
        const read = reading.latest()
        if (read !== undefined) for (const sample of samples(read)) this.set({ ...sample.labels }, sample.value)
      }
    },
  })
}

/** Says which readings fail, so that a figure that is missing does not look like one that never was there. */
export const failingReadings = (readings: readonly Reading<unknown>[]): Gauge =>
  new Gauge({
    name: 'till_reading_failed',
    help: 'Whether a read that these figures need failed or was not answered within two seconds (1) or not (0); its figures are then missing',
    labelNames: ['reading', 'chain'],
    registers: [],
    collect() {
      this.reset()
      for (const { name, chain = '', latest } of readings) this.set({ reading: name, chain }, latest() === undefined ? 1 : 0)
    },
  })
