/** Quotes from before durations were measured have this one. */
export const unmeasuredSeconds = 30

/** Estimates the seconds until a payment's order is COMPLETED: the payment's confirmations and then those of its settlement. */
export const durationSeconds = ({
  confirmations,
  blockSeconds,
}: {
  readonly confirmations: number
  readonly blockSeconds: number
}): number => Math.max(1, Math.ceil(2 * confirmations * blockSeconds))
