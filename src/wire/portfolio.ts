import * as z from 'zod/mini'
import { Amount } from './amount.ts'
import { Currency } from './currency.ts'
import { WalletRef } from './order.ts'

export const PortfolioRequest = z.strictObject({
  wallets: z.array(WalletRef).check(z.minLength(1), z.maxLength(10)),
  filter: z.optional(
    z.strictObject({
      min_balance_usd: z.optional(z.number().check(z.minimum(0))),
      limit: z.optional(z.int().check(z.minimum(1), z.maximum(100))),
    }),
  ),
})

export const Portfolio = z.object({
  portfolio: z.array(z.object({ address: z.string(), balances: z.array(z.object({ currency: Currency, amount: Amount })) })),
  errors: z.array(z.object({ address: z.string(), message: z.string() })),
})
