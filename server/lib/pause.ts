import { setTimeout as sleep } from 'node:timers/promises'

/** Sleeps, and resolves early without an error when the signal aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: signal !== undefined }).catch(() => undefined)
}

/** The wait doubles with each consecutive failure, up to `longestMs`. */
export const backoffMs = (failures: number, { firstMs, longestMs }: { readonly firstMs: number; readonly longestMs: number }): number =>
  Math.min(longestMs, firstMs * 2 ** failures)
