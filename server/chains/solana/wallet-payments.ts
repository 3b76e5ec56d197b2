import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget'
import { getTransferSolInstruction } from '@solana-program/system'
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from '@solana-program/token'
import type { WalletPayment, WalletPayments } from '../wallet-payments.ts'
import { amountOf } from './account-feed.ts'
import { solanaFacts } from '../presets/solana.ts'
import { accountsCall, asAddress, blockhashCall, heightCall, isTokenAccount } from './calls.ts'
import { rentOf } from './lamport-costs.ts'
import { mintOf, type SolanaToken } from './mints.ts'
import type { SolanaRpc } from './rpc-client.ts'
import type { SolanaConfig } from './solana-config.ts'
import { accountFor, tokenAccount } from './token-account.ts'
import { currentUnitPrice } from './unit-price.ts'

/** More than a payment needs: in coins, in a token, and where it also opens the account of the order's address. */
const units = { coin: 1_000, token: 20_000, opening: 60_000 }
/** A payer is not made to pay more for priority, whatever the service itself would pay. The page refuses far more than that. */
const mostUnitPrice = 1_000_000n

export function walletPayments(rpc: SolanaRpc, config: Pick<SolanaConfig, 'tokens' | 'unitPrice'>): WalletPayments {
  async function priceFor(signal: AbortSignal): Promise<bigint> {
    const price = await currentUnitPrice(rpc, config, signal)
    return price > mostUnitPrice ? mostUnitPrice : price
  }
  return {
    async build(payment, signal) {
      const [{ value: lifetime }] = await rpc.read(signal, blockhashCall())
      const { blockhash, lastValidBlockHeight } = lifetime
      const instructions = [
        getSetComputeUnitLimitInstruction({ units: unitsOf(payment) }),
        getSetComputeUnitPriceInstruction({ microLamports: await priceFor(signal) }),
        ...(await transferOf(payment, config.tokens)),
      ]
      const message = pipe(
        createTransactionMessage({ version: 0 }),
        (empty) => setTransactionMessageFeePayer(asAddress(payment.sponsor ?? payment.payer), empty),
        (paid) => setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight) }, paid),
        (timed) => appendTransactionMessageInstructions(instructions, timed),
      )
      return { transaction: getBase64EncodedWireTransaction(compileTransaction(message)), validUntil: lastValidBlockHeight }
    },
    async costOf(payment, signal) {
      const price = await priceFor(signal)
      const fee = solanaFacts.feePerSignature + (BigInt(unitsOf(payment)) * price + 999_999n) / 1_000_000n
      const mint = mintOf(config.tokens, payment.token.address)
      if (!mint) return { fee, account: 0n }
      const [{ value }] = await rpc.read(signal, accountsCall([await tokenAccount(payment.to, mint)], 0))
      return { fee, account: isTokenAccount(value[0] ?? null) ? 0n : rentOf(mint) }
    },
    async fateOf({ token, to, amount, validUntil, known }, signal) {
      const account = await accountFor(to, token.address, config.tokens)
      // One request asks for both, so that the node that sees no money is the one that says how far it is.
      const [height, { value }] = await rpc.read(signal, heightCall(), accountsCall([account], 0))
      if (amountOf(value[0] ?? null, token.address) - known >= amount) return 'paid'
      return height > validUntil ? 'expired' : 'open'
    },
  }
}

const unitsOf = ({ token, sponsor }: Pick<WalletPayment, 'token' | 'sponsor'>): number =>
  token.address === null ? units.coin : sponsor === undefined ? units.opening : units.token

async function transferOf(
  { payer, sponsor, token, to, amount }: WalletPayment,
  tokens: readonly SolanaToken[],
): Promise<readonly Instruction[]> {
  const [signer, owner] = [createNoopSigner(asAddress(payer)), asAddress(to)]
  if (token.address === null) return [getTransferSolInstruction({ source: signer, destination: owner, amount })]
  const found = mintOf(tokens, token.address)
  if (!found) throw new Error(`token ${token.address} is not configured`)
  const { address: mint, program } = found
  const [source, destination] = [await tokenAccount(payer, found), await tokenAccount(to, found)]
  const parts = { source, mint, destination, authority: signer, amount, decimals: token.decimals }
  const transfer = getTransferCheckedInstruction(parts, { programAddress: program })
  // Whoever pays the fee for the payer has opened the order's account already.
  if (sponsor !== undefined) return [transfer]
  return [getCreateAssociatedTokenIdempotentInstruction({ payer: signer, ata: destination, owner, mint, tokenProgram: program }), transfer]
}
