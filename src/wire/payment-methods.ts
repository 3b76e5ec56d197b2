import * as z from 'zod/mini'
import { NetworkFee, NetworkFeeRead } from './currency.ts'
import { ProblemCode } from './problems.ts'

export const PaymentMethodName = z.enum(['WALLET', 'DEPOSIT_ADDRESS', 'CARD'])
export type PaymentMethodName = z.infer<typeof PaymentMethodName>

const FiatAmount = z.object({ amount: z.number(), unit: z.string() })

export const PaymentMethod = z.object({
  available: z.boolean(),
  method: PaymentMethodName,
  minimum_amount: z.optional(FiatAmount),
  reason: z.optional(z.string()),
  /** This Till extension is a code for `reason`, so that a page can translate it. */
  problem: z.optional(ProblemCode),
  /** This Till extension is the approximate network fee that the sender would pay now, in fiat. It is for display only. */
  network_fee: z.optional(NetworkFee),
  /** This Till extension is about what a card is charged, all costs included. It is for display only. */
  estimated_total: z.optional(FiatAmount),
  /** This Till extension is about what the cheapest of the order's settlement currencies costs, all costs included. It is for display only. */
  least_total: z.optional(FiatAmount),
})
export type PaymentMethod = z.infer<typeof PaymentMethod>

export const PaymentMethodList = z.object({ methods: z.array(PaymentMethod) })

export const PaymentMethodRead = z.object({
  available: z.boolean(),
  method: z.string(),
  minimum_amount: z.catch(z.optional(FiatAmount), undefined),
  estimated_total: z.catch(z.optional(FiatAmount), undefined),
  least_total: z.catch(z.optional(FiatAmount), undefined),
  reason: z.catch(z.optional(z.string()), undefined),
  problem: z.catch(z.optional(z.string()), undefined),
  network_fee: NetworkFeeRead,
})
export type PaymentMethodRead = z.infer<typeof PaymentMethodRead>

export const PaymentMethodListRead = z.object({ methods: z.array(PaymentMethodRead) })
