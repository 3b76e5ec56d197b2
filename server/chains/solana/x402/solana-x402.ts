import { safeParse } from 'zod/mini'
import { type PaymentRequirements, SolanaPaymentPayload } from '../../../../src/wire/x402.ts'
import type { ChainId } from '../../../../src/wire/chain.ts'
import type { Sql, Tx } from '../../../database/connect.ts'
import { solanaFacts, solanaPresets } from '../../presets/solana.ts'
import { gasLimitExceeded, type Preparation, type SignedPayment, type TransferStatus, type X402Scheme } from '../../x402.ts'
import { accountsCall, isTokenAccount } from '../calls.ts'
import { mintOf, type SolanaToken } from '../mints.ts'
import { countersignedState, type TaskRequest, type TaskState } from '../payouts/payout-queue.ts'
import type { SolanaRpc } from '../rpc-client.ts'
import { tokenAccount } from '../token-account.ts'
import { accountOpening } from './account-opening.ts'
import { readSigned, type SignedTransaction } from './signed-transaction.ts'
import { transactionFailed } from './transaction-failed.ts'
import { verify } from './verify.ts'

export interface SolanaX402Parts {
  readonly chainId: ChainId
  readonly rpc: SolanaRpc
  readonly operator: string
  readonly tokens: readonly SolanaToken[]
  readonly enqueueTask: (tx: Tx | Sql, request: TaskRequest) => Promise<void>
}

/** A transaction names a recent block, and expires with it. */
const timeoutSeconds = 60

/**
 * Takes transfers of tokens that a payer has signed and the operator pays for. Nobody else can send them, since the operator has to sign too, so the
 * queue alone knows what has become of them.
 */
export function solanaX402(parts: SolanaX402Parts): X402Scheme {
  const { chainId, operator } = parts
  const network = networkOf(chainId)
  return {
    network,
    transactionFailed,
    needsSignedOrder: true,
    requirements: ({ address }, amount, payTo, maxTimeoutSeconds) =>
      address === null
        ? undefined
        : {
            scheme: 'exact',
            network,
            amount: amount.toString(),
            asset: address,
            payTo,
            maxTimeoutSeconds: Math.min(maxTimeoutSeconds, timeoutSeconds),
            extra: { feePayer: operator },
          },
    read(json) {
      const parsed = safeParse(SolanaPaymentPayload, json)
      const signed = parsed.data && readSigned(parsed.data.payload.transaction, solanaFacts.feePerSignature)
      return signed && signedPayment(parts, parsed.data, signed)
    },
    status: async (sql, { nonce }) => statusOf(await countersignedState(sql, chainId, nonce)),
    preparation: (sql, orderId, offer, signal) => preparationOf(parts, sql, orderId, offer, signal),
  }
}

/** CAIP-2 names a cluster by the beginning of its first block's hash. */
export function networkOf(chainId: ChainId): string {
  const preset = solanaPresets[chainId]
  if (!preset) throw new Error(`chain ${chainId} has no preset`)
  return `solana:${preset.genesis.hash.slice(0, 32)}`
}

function signedPayment(parts: SolanaX402Parts, payload: SolanaPaymentPayload, signed: SignedTransaction): SignedPayment {
  const { rpc, operator, tokens, enqueueTask } = parts
  const { accepted } = payload
  const { payer, mint, amount, signature, messageHash, usesFeePayer, mostFee } = signed
  return {
    accepted,
    transfer: {
      network: accepted.network,
      asset: mint,
      payer,
      nonce: messageHash,
      payTo: accepted.payTo,
      value: amount,
      validBefore: undefined,
      signature,
    },
    async verify(offer, _, signal) {
      const mint = mintOf(tokens, offer.asset)
      if (!mint) throw new Error(`token ${offer.asset} was offered and is not configured`)
      return verify({ rpc, operator, payload, offer, mint, usesFeePayer }, signal)
    },
    // An account is not opened for what would be refused afterwards.
    preparation: async (sql, orderId, { transferGas }, signal) =>
      mostFee > transferGas ? { refused: gasLimitExceeded } : preparationOf(parts, sql, orderId, accepted, signal),
    isTooExpensive: async ({ transferGas }) => mostFee > transferGas,
    enqueue: (tx, request) =>
      enqueueTask(tx, { ...request, task: 'countersign', token: mint, given: payload.payload.transaction, messageHash }),
  }
}

async function preparationOf(
  { chainId, rpc, tokens, enqueueTask }: SolanaX402Parts,
  sql: Sql,
  orderId: string,
  { payTo, asset }: Pick<PaymentRequirements, 'payTo' | 'asset'>,
  signal: AbortSignal,
): Promise<Preparation | undefined> {
  const mint = mintOf(tokens, asset)
  if (!mint) return undefined
  const [{ value }] = await rpc.read(signal, accountsCall([await tokenAccount(payTo, mint)], 0))
  return isTokenAccount(value[0] ?? null) ? undefined : accountOpening({ chainId, orderId, owner: payTo, mint, enqueueTask }, sql)
}

function statusOf(found: TaskState | undefined): TransferStatus {
  if (found?.state === 'failed') return { at: 'dead' }
  const isMined = found?.minedSlot !== undefined && found.signature !== undefined
  return isMined ? { at: 'paid', txHash: found.signature } : { at: 'open' }
}
