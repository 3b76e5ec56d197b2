/** What a guard holds against whoever asks it. Sums are in millionths of a dollar. */
export interface GuardRules {
  readonly factory: string
  /** A conversion may only use these, by chain. */
  readonly routers: ReadonlyMap<number, readonly string[]>
  readonly limits: GuardLimits
  /** A conversion's least output may be worth this much less than its input, in hundredths of a percent. */
  readonly toleranceBps: number
  /** A merchant's request must be signed with its body, and must name the currency and the recipient. */
  readonly needsSignedBody: boolean
}

export interface GuardLimits {
  readonly perMove: bigint
  /** For one organisation. */
  readonly perHour: bigint
  readonly perHourInAll: bigint
  /** What a refund may leave to the fee collector for its gas. */
  readonly gas: bigint
}

const dollar = 1_000_000n

export const defaultRules = {
  limits: { perMove: 5_000n * dollar, perHour: 10_000n * dollar, perHourInAll: 50_000n * dollar, gas: 50n * dollar },
  toleranceBps: 500,
  needsSignedBody: false,
} satisfies Partial<GuardRules>
