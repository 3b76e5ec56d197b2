import * as z from 'zod/mini'

export const FeeBalance = z.object({ fee_balance: z.object({ amount_cents: z.int(), fiat: z.string() }) })
