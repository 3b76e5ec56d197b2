/** Quotes from before durations were measured have this one. */
export const unmeasuredSeconds = 30

/** Estimates the seconds until a payment's order is COMPLETED: until the payment is final, and then its settlement. */
export const durationSeconds = (secondsToFinal: number): number => Math.max(1, Math.ceil(2 * secondsToFinal))
