import * as z from 'zod/mini'
import { CurrencyBase, FiatCurrency } from './currency.ts'
import { Pagination } from './pagination.ts'
import { Decimal, Id, StorableDateTime } from './scalars.ts'

export const BankOnrampDepositStatus = z.enum(['PROCESSING', 'COMPLETED', 'FAILED'])

export const OnrampDestination = z.object({ currency: CurrencyBase, wallet_address: z.string() })

export const OnrampSettlement = z.object({
  source: z.object({ currency: z.string(), amount: Decimal }),
  destination: z.object({ currency: CurrencyBase, amount: Decimal, wallet_address: z.string(), transaction_hash: z.optional(z.string()) }),
  fees: z.object({ exchange: Decimal, gas: Decimal, developer: Decimal }),
})

export const BankOnrampDeposit = z.object({
  id: z.string(),
  account_id: z.string(),
  status: BankOnrampDepositStatus,
  source_currency: FiatCurrency,
  destination: OnrampDestination,
  settlement: z.optional(z.nullable(OnrampSettlement)),
  created_at: StorableDateTime,
  updated_at: StorableDateTime,
})

export const BankOnrampDepositList = z.object({ data: z.array(BankOnrampDeposit), pagination: Pagination })
export const BankAccountPath = z.object({ account_id: Id })
