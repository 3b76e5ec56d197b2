import * as z from 'zod/mini'
import { CurrencyRead, NetworkFeeRead } from './currency.ts'
import { RawString } from './scalars.ts'

const Raw = z.object({ raw: RawString })

/** A currency that an account could pay an order with, how much that takes, and how much is there. */
export const HoldingRead = z.object({
  input: z.object({ amount: Raw, balance: Raw, currency: CurrencyRead }),
  network_fee: NetworkFeeRead,
})
export type HoldingRead = z.infer<typeof HoldingRead>
/** What cannot be read is left out. */
export const HoldingListRead = z.object({ options: z.array(z.catch(z.optional(HoldingRead), undefined)) })
