import { type Address, createKeyPairSignerFromPrivateKeyBytes, type Instruction, type KeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import type { Mint } from '../../server/chains/solana/mints.ts'
import { addressOfKey } from '../../server/chains/solana/signer.ts'
import { tokenAccount } from '../../server/chains/solana/token-account.ts'
import { mintKey } from './accounts.ts'
import type { Faucet } from './faucet.ts'
import type { Ledger } from './ledger.ts'
import { transact } from './transact.ts'

export const localTokens = [
  { address: addressOfKey(mintKey('USDC')), symbol: 'USDC', name: 'USD Coin', decimals: 6, peg: 'usd' },
  { address: addressOfKey(mintKey('USDT')), symbol: 'USDT', name: 'Tether USD', decimals: 6, peg: 'usd' },
] as const

/** Creates the token, unless the chain has it. The faucet may make as many of it as it likes. */
export async function createToken(ledger: Ledger, { signer }: Faucet, { symbol, decimals }: (typeof localTokens)[number]): Promise<void> {
  const mint = await createKeyPairSignerFromPrivateKeyBytes(mintKey(symbol))
  if (ledger.account(mint.address, 'processed')) return
  const space = getMintSize()
  await transact(ledger, signer, [
    getCreateAccountInstruction({
      payer: signer,
      newAccount: mint,
      space,
      lamports: ledger.rent(BigInt(space)),
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMint2Instruction({ mint: mint.address, decimals, mintAuthority: signer.address }),
  ])
}

/** Makes so much of a token and gives it to somebody. */
export async function makeTokens(ledger: Ledger, { signer }: Faucet, of: Mint, to: Address, amount: bigint): Promise<void> {
  const { address: mint, program } = of
  const token = await tokenAccount(to, of)
  await transact(ledger, signer, [
    getCreateAssociatedTokenIdempotentInstruction({ payer: signer, ata: token, owner: to, mint, tokenProgram: program }),
    getMintToInstruction({ mint, token, mintAuthority: signer, amount }, { programAddress: program }),
  ])
}

/** What wallets send when they pay somebody in a token: they open his account if he has none. */
export async function tokenPayment(
  payer: KeyPairSigner,
  { mint: of, to, amount, decimals }: { readonly mint: Mint; readonly to: Address; readonly amount: bigint; readonly decimals: number },
): Promise<readonly Instruction[]> {
  const { address: mint, program } = of
  const [source, destination] = await Promise.all([tokenAccount(payer.address, of), tokenAccount(to, of)])
  return [
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata: destination, owner: to, mint, tokenProgram: program }),
    getTransferCheckedInstruction({ source, mint, destination, authority: payer, amount, decimals }, { programAddress: program }),
  ]
}

/** The tokens of local mode are of the Token program. */
export const localMint = (address: Address): Mint => ({ address, program: TOKEN_PROGRAM_ADDRESS })
