import { askProvider, type ProviderAddress, readCallback } from './ask-provider.ts'
import { type Bank, BankAccount, BankNews } from './bank.ts'

/** A bank behind docs/providers.md: GET {url}/accounts/{id}, and signed callbacks. */
export const httpBank = (address: ProviderAddress): Bank => ({
  account: (id, signal) => askProvider('The bank', address, { path: `/accounts/${encodeURIComponent(id)}`, schema: BankAccount, signal }),
  read: (header, body, now) => readCallback(address.secret, header, body, BankNews, now),
})
