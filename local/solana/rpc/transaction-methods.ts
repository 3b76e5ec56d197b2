import { getBase58Encoder } from '@solana/kit'
import * as z from 'zod'
import type { Ledger } from '../ledger.ts'
import type { Execution } from '../runtime.ts'
import { decodeTransaction, mostBytes, type WireTransaction } from '../wire-transaction.ts'
import { accountJson, hasReached, metaJson, signatureStatus, transactionJson, versionOf } from './encode.ts'
import { Address, codes, Commitment, Config, method, requireSlot, RpcError, Signature, withContext } from './method.ts'

const Encoding = z.enum(['base58', 'base64']).default('base58')
const SendConfig = z
  .object({
    encoding: Encoding,
    skipPreflight: z.boolean().default(false),
    preflightCommitment: Commitment,
    maxRetries: z.int().optional(),
    minContextSlot: z.int().optional(),
  })
  .prefault({})
const SimulateConfig = z
  .object({
    encoding: Encoding,
    commitment: Commitment,
    sigVerify: z.boolean().default(false),
    replaceRecentBlockhash: z.boolean().default(false),
    innerInstructions: z.boolean().optional(),
    accounts: z.object({ addresses: z.array(Address), encoding: z.enum(['base64', 'jsonParsed']).default('base64') }).optional(),
    minContextSlot: z.int().optional(),
  })
  .prefault({})
const HistoryConfig = z
  .object({
    commitment: z.enum(['confirmed', 'finalized']).default('finalized'),
    before: Signature.optional(),
    until: Signature.optional(),
    limit: z.int().min(1).max(1_000).default(1_000),
    minContextSlot: z.int().optional(),
  })
  .prefault({})
const TransactionConfig = z
  .object({
    commitment: z.enum(['confirmed', 'finalized']).default('finalized'),
    encoding: z.enum(['json', 'base64']).default('json'),
    maxSupportedTransactionVersion: z.int().optional(),
  })
  .prefault({})

const unsigned = () => new RpcError(codes.signature, 'Transaction signature verification failure')

export const transactionMethods = {
  sendTransaction: method([z.string(), SendConfig], async (ledger, text, { encoding, skipPreflight, preflightCommitment }) => {
    const wire = decode(text, encoding)
    if (!skipPreflight) preflight(ledger, wire, preflightCommitment)
    const { is } = await ledger.submit(wire)
    if (is === 'unsigned') throw unsigned()
    // A node passes on what it was given, and only looking for the transaction shows that nobody includes it.
    return wire.signature
  }),
  simulateTransaction: method([z.string(), SimulateConfig], (ledger, text, config) => {
    const { encoding, commitment, sigVerify, replaceRecentBlockhash, accounts } = config
    requireSlot(ledger, config)
    if (sigVerify && replaceRecentBlockhash)
      throw new RpcError(codes.invalidParams, 'sigVerify may not be used with replaceRecentBlockhash')
    const wire = decode(text, encoding)
    const isExpired = !replaceRecentBlockhash && !ledger.isRecent(wire.message.lifetimeToken, commitment)
    const result = isExpired ? undefined : ledger.simulate(wire, !sigVerify)
    return withContext(ledger, commitment, {
      err: isExpired ? 'BlockhashNotFound' : (result?.error ?? null),
      logs: result?.logs ?? [],
      unitsConsumed: result?.units ?? 0n,
      accounts:
        accounts?.addresses.map((address) =>
          accountJson(
            result?.accounts.find((account) => account.address === address),
            accounts.encoding,
            ledger,
          ),
        ) ?? null,
      returnData: null,
      ...(replaceRecentBlockhash && {
        replacementBlockhash: { blockhash: ledger.tip(commitment).hash, lastValidBlockHeight: ledger.tip(commitment).height },
      }),
    })
  }),
  getSignatureStatuses: method(
    [z.array(Signature).max(256), z.object({ searchTransactionHistory: z.boolean().default(false) }).prefault({})],
    (ledger, signatures) =>
      withContext(
        ledger,
        'processed',
        signatures.map((signature) => signatureStatus(ledger, ledger.landed(signature))),
      ),
  ),
  getSignaturesForAddress: method([Address, HistoryConfig], (ledger, address, { commitment, before, until, limit }) => {
    const reached = ledger.signaturesFor(address).filter((signature) => {
      const found = ledger.landed(signature)
      return found && hasReached(ledger, found, commitment)
    })
    const [from, to] = [before === undefined ? 0 : reached.indexOf(before) + 1, until === undefined ? -1 : reached.indexOf(until)]
    return reached
      .slice(from, to < 0 ? undefined : to)
      .slice(0, limit)
      .map((signature) => {
        const found = ledger.landed(signature)!
        const { block, error } = found
        const status = signatureStatus(ledger, found)
        return {
          signature,
          slot: block.slot,
          err: error ?? null,
          memo: null,
          blockTime: block.time,
          confirmationStatus: status?.confirmationStatus,
        }
      })
  }),
  getTransaction: method([Signature, TransactionConfig], (ledger, signature, { commitment, encoding, maxSupportedTransactionVersion }) => {
    const found = ledger.landed(signature)
    if (!found || !hasReached(ledger, found, commitment)) return null
    const version = versionOf(found)
    if (version === 0 && maxSupportedTransactionVersion === undefined)
      throw new RpcError(codes.unsupportedVersion, 'Transaction version (0) is not supported by the requesting client')
    const { slot, time } = found.block
    return { slot, blockTime: time, meta: metaJson(found), transaction: transactionJson(found, encoding), version }
  }),
  getFeeForMessage: method([z.string(), Config], (ledger, _, { commitment }) => withContext(ledger, commitment, 5_000)),
  getRecentPrioritizationFees: method([z.array(Address).max(128).optional()], (ledger) => [
    { slot: ledger.tip('confirmed').slot, prioritizationFee: 0 },
  ]),
}

function decode(text: string, encoding: 'base58' | 'base64'): WireTransaction {
  const bytes = encoding === 'base64' ? Buffer.from(text, 'base64') : base58(text)
  if (bytes.length > mostBytes)
    throw new RpcError(
      codes.invalidParams,
      `${encoding} encoded solana_transaction::versioned::VersionedTransaction too large: ${bytes.length} bytes (max: encoded/raw 1644/${mostBytes})`,
    )
  const wire = decodeTransaction(bytes)
  if (!wire) throw new RpcError(codes.invalidParams, 'failed to deserialize solana_transaction::versioned::VersionedTransaction')
  return wire
}

function base58(text: string): Uint8Array {
  try {
    return Uint8Array.from(getBase58Encoder().encode(text))
  } catch {
    throw new RpcError(codes.invalidParams, 'invalid base58 encoding')
  }
}

/** Most mistakes show in a simulation, which costs nothing. */
function preflight(ledger: Ledger, wire: WireTransaction, commitment: Commitment): void {
  const { transaction, message, signature } = wire
  if (Object.values(transaction.signatures).some((each) => !each)) throw unsigned()
  if (signature !== undefined && ledger.landed(signature)) throw refused('AlreadyProcessed', 'This transaction has already been processed')
  if (!ledger.isRecent(message.lifetimeToken, commitment)) throw refused('BlockhashNotFound', 'Blockhash not found')
  const result = ledger.simulate(wire, false)
  if (result.error === 'SignatureFailure') throw unsigned()
  if (result.error !== undefined) throw refused(result.error, textOf(result.error), result)
}

function refused(err: unknown, text: string, { logs = [], units = 0n }: Partial<Pick<Execution, 'logs' | 'units'>> = {}): RpcError {
  return new RpcError(codes.preflight, `Transaction simulation failed: ${text}`, { accounts: null, err, logs, unitsConsumed: units })
}

const textOf = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error))
type Commitment = z.output<typeof Commitment>
