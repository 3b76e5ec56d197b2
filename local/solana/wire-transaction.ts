import {
  type Address,
  type CompiledTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Transaction,
} from '@solana/kit'
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget'

/** Networks carry no larger ones. */
export const mostBytes = 1_232

export type Message = Extract<CompiledTransactionMessage, { readonly version: 'legacy' | 0 }> & { readonly lifetimeToken: string }

/** A transaction in the form in which it is sent, and what it says. */
export interface WireTransaction {
  readonly bytes: Uint8Array
  readonly transaction: Transaction
  readonly message: Message
  /** The first signature is the transaction's name. It is undefined while the payer of fees has not signed. */
  readonly signature: string | undefined
}

/** Returns undefined if these are not the bytes of a transaction, or if it looks addresses up in a table, which this node does not serve. */
export function decodeTransaction(bytes: Uint8Array): WireTransaction | undefined {
  try {
    const transaction = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    if (
      message.version === 1 ||
      !('lifetimeToken' in message) ||
      ('addressTableLookups' in message && (message.addressTableLookups?.length ?? 0) > 0)
    )
      return undefined
    const [first] = Object.values(transaction.signatures)
    return { bytes, transaction, message: message as Message, signature: first ? getBase58Decoder().decode(first) : undefined }
  } catch {
    return undefined
  }
}

/** Signers come first, and within both groups those whose accounts may change. */
export function writableAddresses({ header, staticAccounts }: Message): readonly Address[] {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header
  return staticAccounts.filter((_, i) =>
    i < numSignerAccounts ? i < numSignerAccounts - numReadonlySignerAccounts : i < staticAccounts.length - numReadonlyNonSignerAccounts,
  )
}

const lamportsPerSignature = 5_000n
const defaultUnits = 200_000n
const mostUnits = 1_400_000n

/** The fee has a part for each signature and, if the transaction asks for priority, one for the compute units that it may use. */
export function feeOf({ header, staticAccounts, instructions }: Message): bigint {
  const isBudget = ({ programAddressIndex }: { programAddressIndex: number }) =>
    staticAccounts[programAddressIndex] === COMPUTE_BUDGET_PROGRAM_ADDRESS
  const others = instructions.filter((instruction) => !isBudget(instruction)).length
  let units = defaultUnits * BigInt(others)
  let price = 0n
  for (const instruction of instructions.filter(isBudget)) {
    const data = Buffer.from(instruction.data ?? [])
    if (data[0] === 2) units = BigInt(data.readUInt32LE(1))
    if (data[0] === 3) price = data.readBigUInt64LE(1)
  }
  const priority = ((units < mostUnits ? units : mostUnits) * price + 999_999n) / 1_000_000n
  return lamportsPerSignature * BigInt(header.numSignerAccounts) + priority
}
