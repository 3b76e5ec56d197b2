import * as z from 'zod'
import { parseUnits } from '../../src/wire/money.ts'

/**
 * Each of these has limits of its own, so that nobody uses up what others need: payers decide how much is surplus and how much is converted,
 * and must not be able to hold up what merchants have signed.
 */
export type GuardBudget =
  /** A refund whose amount, currency and recipient the merchant has signed. */
  | 'merchant'
  /** A refund that the merchant has asked for without signing all of these, so that the service could change the others. */
  | 'merchant_partly'
  /** A surplus, or what could not be converted. */
  | 'surplus'
  | 'conversion'

/** Sums are in millionths of a dollar. What is absent is not limited. */
export interface GuardLimit {
  readonly perMove?: bigint
  /** For one organisation. */
  readonly perHour?: bigint
  readonly perHourInAll?: bigint
}

/** What a guard decides by, wherever its key is. */
export interface GuardPolicy {
  readonly limits: Readonly<Record<GuardBudget, GuardLimit>>
  /** What a refund may leave to the fee collector for its gas, in millionths of a dollar. */
  readonly gas: bigint
  /** A conversion's least output may be worth this much less than its input, in hundredths of a percent. */
  readonly toleranceBps: number
  /** A merchant's request must be signed with its body, and must name the currency and the recipient. */
  readonly needsSignedBody: boolean
}

const Dollars = z.string().transform((text, context): bigint => {
  const amount = parseUnits(text, 6)
  if (amount === undefined) context.addIssue('must be an amount of dollars like "5000"')
  return amount ?? z.NEVER
})

const limit = (perMove: string | null, perHour: string | null, perHourInAll: string | null) =>
  z
    .strictObject({
      per_move_usd: Dollars.nullable().prefault(perMove),
      per_hour_usd: Dollars.nullable().prefault(perHour),
      per_hour_in_all_usd: Dollars.nullable().prefault(perHourInAll),
    })
    .prefault({})
    .transform(({ per_move_usd, per_hour_usd, per_hour_in_all_usd }): GuardLimit => ({
      ...(per_move_usd !== null && { perMove: per_move_usd }),
      ...(per_hour_usd !== null && { perHour: per_hour_usd }),
      ...(per_hour_in_all_usd !== null && { perHourInAll: per_hour_in_all_usd }),
    }))

/** The members of a policy in JSON, with their defaults. Where a limit is null there is none. */
const membersWith = (merchant: ReturnType<typeof limit>) => ({
  limits: z
    .strictObject({
      merchant,
      merchant_partly: limit('5000', '10000', '50000'),
      surplus: limit('5000', '10000', '50000'),
      conversion: limit('5000', '10000', null),
    })
    .prefault({}),
  gas_usd: Dollars.prefault('50'),
  conversion_tolerance_bps: z.int().min(0).max(5_000).default(500),
  require_signed_body: z.boolean().default(false),
})

/** A guard inside the service protects from nobody who has taken the service over, so the merchant's signature needs no limit. */
export const membersBesideService = membersWith(limit(null, null, null))
/** The merchants' secrets are in the service's database, so whoever has taken it over can sign as any merchant, and a guard elsewhere limits that. */
export const membersElsewhere = membersWith(limit('10000', '10000', '50000'))

const Policy = z.strictObject(membersBesideService)

export const policyOf = ({ limits, gas_usd, conversion_tolerance_bps, require_signed_body }: z.output<typeof Policy>): GuardPolicy => ({
  limits,
  gas: gas_usd,
  toleranceBps: conversion_tolerance_bps,
  needsSignedBody: require_signed_body,
})

export const defaultGuardPolicy: GuardPolicy = policyOf(Policy.parse({}))
