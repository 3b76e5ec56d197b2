import * as z from 'zod/mini'
import { BankOnrampDeposit } from '../../src/wire/bank.ts'
import type { Told } from './callback.ts'

/** A reusable account at a bank: what is paid in there arrives as tokens at a wallet. */
export const BankAccount = z.object({ id: z.string(), organization_id: z.string() })
export type BankAccount = z.infer<typeof BankAccount>

/** Where a deposit stands, whole, each time something about it changes. */
export const BankNews = z.object({ deposit: BankOnrampDeposit })
export type BankNews = z.infer<typeof BankNews>

/** Whoever runs the accounts. Throws ProviderUnavailable when it cannot be asked. */
export interface Bank {
  account(id: string, signal?: AbortSignal): Promise<BankAccount | undefined>
  read(header: string | undefined, body: Uint8Array, now: number): Told<BankNews>
}
