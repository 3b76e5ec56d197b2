import * as z from 'zod/mini'
import { Decimal, RawString } from './scalars.ts'

export const Amount = z.object({ raw: RawString, ui: Decimal, value_usd: z.number() })
export type Amount = z.infer<typeof Amount>

/** Other services may format `ui` differently, so calculations use only `raw`. */
export const AmountRead = z.object({ raw: RawString, ui: z.string(), value_usd: z.optional(z.number()) })
export type AmountRead = z.infer<typeof AmountRead>

export const FeeBalance = z.object({ fee_balance: z.object({ amount_cents: z.int(), fiat: z.string() }) })
