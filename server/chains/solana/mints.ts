import { type Address, address } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import type { Token } from '../chain.ts'

/** Two programs keep tokens, each its own. They share instructions, and the beginning of their accounts. */
export const TOKEN_2022_PROGRAM_ADDRESS = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')

export interface SolanaToken extends Token {
  /** It is absent for coins, and for tokens of the Token program. */
  readonly program?: Address
}

/** What a token's accounts follow from, together with their owner. */
export interface Mint {
  readonly address: Address
  readonly program: Address
}

/** Returns the mint of a token that is configured, and undefined for coins and for other tokens. */
export function mintOf(tokens: readonly SolanaToken[], token: string | null): Mint | undefined {
  const found = token === null ? undefined : tokens.find(({ address }) => address === token)
  return found && { address: found.address as Address, program: found.program ?? TOKEN_PROGRAM_ADDRESS }
}
