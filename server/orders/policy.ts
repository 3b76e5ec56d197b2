import type { Policy } from './model/commands.ts'

const minute = 60_000
const hour = 60 * minute

/** The costs of moving money are missing here, because the caller adds them from the chains' present fee rates. */
export const defaultPolicy = (paymentWindowMs = 30 * minute): Omit<Policy, 'refundGas' | 'leastLeg'> => ({
  paymentWindowMs,
  extensionMs: 30 * minute,
  extensionOpensMs: 5 * minute,
  maxExtensions: 3,
  retryAfterMs: [minute, 10 * minute, hour, 6 * hour, 12 * hour],
  sightHoldsMs: 24 * 60 * minute,
  conversionAttempts: 3,
  remindAfterMs: 7 * 24 * hour,
  claimForMs: hour,
  closesBeforeReleaseMs: 3 * 24 * hour,
})
