import { computed, signal, type ReadonlySignal } from '@preact/signals'

/** "Now" by the server's clock: a deadline never depends on the device's. */
export interface Clock {
  /** Moves once a second while something needs it. */
  readonly now: ReadonlySignal<number>
  /** The payer's time zone; the server's until the page runs. */
  readonly zone: ReadonlySignal<string>
  /** The server said what time it is. */
  sync(serverNow: number): void
  /** Read only when a time is shown: asking for it takes a phone as long as bringing the page to life. */
  localise(readZone: () => string): void
  /** Ticks until it is stopped. */
  start(): () => void
}

export interface ClockPorts {
  /** The device's clock, right or wrong. */
  readonly device: () => number
  readonly every: (ms: number, run: () => void) => () => void
}

export const createClock = (serverNow: number, { device, every }: ClockPorts): Clock => {
  let skew = serverNow - device()
  const now = signal(serverNow)
  const readsZone = signal<() => string>(() => 'UTC')
  const tick = () => {
    now.value = device() + skew
  }
  return {
    now,
    zone: computed(() => readsZone.value()),
    sync: (time) => {
      // A Date header knows whole seconds: less than that is no news.
      if (Math.abs(device() + skew - time) < 2_000) return
      skew = time - device()
      tick()
    },
    localise: (readZone) => {
      readsZone.value = readZone
    },
    start: () => every(1_000, tick),
  }
}
