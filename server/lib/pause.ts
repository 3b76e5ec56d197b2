import { setTimeout as sleep } from 'node:timers/promises'

/** Sleeps, and resolves early without an error when the signal aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: signal !== undefined }).catch(() => undefined)
}
