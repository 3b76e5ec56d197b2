import * as z from 'zod/mini'
import { BankOnrampDeposit } from '../../src/wire/bank.ts'
import type { CallbackResult } from './callback.ts'
import { askProvider, type ProviderAddress, readCallback } from './ask-provider.ts'

/** Money that is paid into this reusable account arrives as tokens at a wallet. */
export const BankAccount = z.object({ id: z.string(), organization_id: z.string() })
export type BankAccount = z.infer<typeof BankAccount>

/** The bank sends the whole state of a deposit whenever something about it changes. */
export const BankCallback = z.object({ deposit: BankOnrampDeposit })
export type BankCallback = z.infer<typeof BankCallback>

/** `account` rejects with ProviderUnavailable if the bank cannot be reached. */
export interface Bank {
  account(id: string, signal?: AbortSignal): Promise<BankAccount | undefined>
  read(header: string | undefined, body: Uint8Array, now: number): CallbackResult<BankCallback>
}

/** Connects to a bank that implements docs/providers.md: GET {url}/accounts/{id} and signed callbacks. */
export const httpBank = (address: ProviderAddress): Bank => ({
  account: (id, signal) => askProvider('The bank', address, { path: `/accounts/${encodeURIComponent(id)}`, schema: BankAccount, signal }),
  read: (header, body, now) => readCallback(address.secret, header, body, BankCallback, now),
})
