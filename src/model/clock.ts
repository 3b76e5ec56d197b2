import { computed, signal, type ReadonlySignal } from '@preact/signals'

/** The clock follows the service's time, because a device's clock may be wrong and deadlines are the service's. */
export interface Clock {
  /** The time in unix milliseconds changes once a second after start(). */
  readonly now: ReadonlySignal<number>
  /** This is the payer's time zone, or UTC until localise() is called. */
  readonly zone: ReadonlySignal<string>
  sync(serverNow: number): void
  /** The zone is read only when a time is shown, because the first use of `Intl` is slow on a phone. */
  localise(readZone: () => string): void
  start(): () => void
}

export interface ClockPorts {
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
      // A Date header has only whole seconds and is delayed by the network, so small differences are ignored.
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
