import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { asAddress } from './calls.ts'

/** Returns the account at which wallets hold an owner's money in a token. */
export async function tokenAccount(owner: string, mint: string): Promise<string> {
  const [account] = await findAssociatedTokenPda({ owner: asAddress(owner), mint: asAddress(mint), tokenProgram: TOKEN_PROGRAM_ADDRESS })
  return account
}
