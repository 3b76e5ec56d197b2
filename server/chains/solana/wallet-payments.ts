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
import { accountsCall, asAddress, blockhashCall, heightCall } from './calls.ts'
import { mintOf, type SolanaToken } from './mints.ts'
import type { SolanaRpc } from './rpc-client.ts'
import type { SolanaConfig } from './solana-config.ts'
import { accountFor, tokenAccount } from './token-account.ts'
import { currentUnitPrice } from './unit-price.ts'

/** More than a payment needs, also where it opens the account of the order's address. */
const units = { coin: 1_000, token: 60_000 }
/** A payer is not made to pay more for priority, whatever the service itself would pay. The page refuses far more than that. */
const mostUnitPrice = 1_000_000n

export function walletPayments(rpc: SolanaRpc, config: Pick<SolanaConfig, 'tokens' | 'unitPrice'>): WalletPayments {
  return {
    async build(payment, signal) {
      const [{ value: lifetime }] = await rpc.read(signal, blockhashCall())
      const price = await currentUnitPrice(rpc, config, signal)
      const { blockhash, lastValidBlockHeight } = lifetime
      const instructions = [
        getSetComputeUnitLimitInstruction({ units: payment.token.address === null ? units.coin : units.token }),
        getSetComputeUnitPriceInstruction({ microLamports: price > mostUnitPrice ? mostUnitPrice : price }),
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
    async fateOf({ token, to, amount }, validUntil, signal) {
      const account = await accountFor(to, token.address, config.tokens)
      // One request asks for both, so that the node that sees no money is the one that says how far it is.
      const [height, { value }] = await rpc.read(signal, heightCall(), accountsCall([account], 0))
      if (amountOf(value[0] ?? null, token.address) >= amount) return 'paid'
      return height > validUntil ? 'expired' : 'open'
    },
  }
}

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
