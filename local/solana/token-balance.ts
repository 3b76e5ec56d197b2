import type { Address, EncodedAccount } from '@solana/kit'
import { getMintDecoder, getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../server/chains/solana/mints.ts'

/** The same programs are on every cluster. */
const tokenPrograms: readonly Address[] = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]

/** Both programs lay out the beginning of an account and of a mint alike. Extensions follow, and a byte says what they extend. */
const [mintSize, accountSize] = [82, 165]
const isAccountType = 2

export interface TokenBalance {
  readonly mint: Address
  readonly owner: Address
  readonly programId: Address
  readonly amount: bigint
  readonly decimals: number
}

/** Returns what a token account holds, and undefined for other accounts. */
export function tokenBalance(
  account: EncodedAccount | undefined,
  read: (mint: Address) => EncodedAccount | undefined,
): TokenBalance | undefined {
  if (!account || !isTokenAccount(account)) return undefined
  const { mint, owner, amount } = getTokenDecoder().decode(account.data.slice(0, accountSize))
  const found = read(mint)
  if (!found) return undefined
  const { decimals } = getMintDecoder().decode(found.data.slice(0, mintSize))
  return { mint, owner, programId: account.programAddress, amount, decimals }
}

const isTokenAccount = ({ programAddress, data }: EncodedAccount): boolean =>
  tokenPrograms.includes(programAddress) &&
  (data.length === accountSize || (data.length > accountSize && data[accountSize] === isAccountType))
