import type { Address } from '@solana/kit'
import { findAssociatedTokenPda } from '@solana-program/token'
import { asAddress } from './calls.ts'
import { type Mint, mintOf, type SolanaToken } from './mints.ts'

/** Returns the account at which wallets hold an owner's money in a token. */
export async function tokenAccount(owner: string, { address: mint, program: tokenProgram }: Mint): Promise<Address> {
  const [account] = await findAssociatedTokenPda({ owner: asAddress(owner), mint, tokenProgram })
  return account
}

/** Returns where an owner's money is in coins, or in a token that is configured. */
export async function accountFor(owner: string, token: string | null, tokens: readonly SolanaToken[]): Promise<string> {
  if (token === null) return owner
  const mint = mintOf(tokens, token)
  if (!mint) throw new Error(`token ${token} is not configured`)
  return tokenAccount(owner, mint)
}
