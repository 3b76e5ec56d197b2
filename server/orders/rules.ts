import type { Rules } from './model/commands.ts'

const minute = 60_000
const hour = 60 * minute

export const heldForMs = 24 * hour

/** Policy. What moving money costs is added by whoever knows today's gas. */
export const policy = (paymentWindowMs = 30 * minute): Omit<Rules, 'legGas' | 'refundGas'> => ({
  paymentWindowMs,
  extensionMs: 30 * minute,
  extensionOpensMs: 5 * minute,
  maxExtensions: 3,
  retryAfterMs: [minute, 10 * minute, hour, 6 * hour, 12 * hour],
  conversionAttempts: 3,
  heldForMs,
  remindAfterMs: 7 * 24 * hour,
  claimForMs: hour,
})
