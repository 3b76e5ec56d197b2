import { createHash } from 'node:crypto'
import { getBase58Decoder, getCompiledTransactionMessageDecoder, getTransactionDecoder, type Transaction } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../mints.ts'

/** What the official library wants to see in this place (`verify.ts` asks it), and so where the payer is. */
const transferPlace = 2
const transferChecked = 12

/** A payer has signed this transaction, and its fee payer has not. */
export interface SignedTransaction {
  readonly payer: string
  readonly mint: string
  readonly amount: bigint
  /** The payer's, in base58. */
  readonly signature: string
  /** All signers sign the same message, so its hash names the payment whatever else is in the bytes that were handed in. */
  readonly messageHash: string
  /** The account that pays the fee is named in an instruction too, which could make it pay for more. */
  readonly usesFeePayer: boolean
  /** In lamports, for all signatures and at most so many compute units. */
  readonly mostFee: bigint
}

/** Returns undefined for anything but a transaction whose third instruction is a transfer of tokens that its authority has signed. */
export function readSigned(base64: string, feePerSignature: bigint): SignedTransaction | undefined {
  try {
    const transaction = getTransactionDecoder().decode(Buffer.from(base64, 'base64'))
    return signedOf(transaction, feePerSignature)
  } catch {
    // The bytes are a stranger's, and the decoders throw for what is no transaction.
    return undefined
  }
}

function signedOf(transaction: Transaction, feePerSignature: bigint): SignedTransaction | undefined {
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  if (message.version === 1) return undefined
  const { staticAccounts, instructions, header } = message
  const transfer = instructions[transferPlace]
  const [, mintAt, , payerAt] = transfer?.accountIndices ?? []
  const data = Buffer.from(transfer?.data ?? [])
  if (!transfer || mintAt === undefined || payerAt === undefined || payerAt === 0) return undefined
  const program = staticAccounts[transfer.programAddressIndex]
  if (program !== TOKEN_PROGRAM_ADDRESS && program !== TOKEN_2022_PROGRAM_ADDRESS) return undefined
  if (data.length !== 10 || data[0] !== transferChecked) return undefined
  const [mint, payer] = [staticAccounts[mintAt], staticAccounts[payerAt]]
  const signature = payer && transaction.signatures[payer]
  if (mint === undefined || !signature) return undefined
  return {
    payer,
    mint,
    amount: data.readBigUInt64LE(1),
    signature: getBase58Decoder().decode(signature),
    messageHash: createHash('sha256').update(Uint8Array.from(transaction.messageBytes)).digest('hex'),
    usesFeePayer: instructions.some(
      ({ programAddressIndex, accountIndices = [] }) => programAddressIndex === 0 || accountIndices.includes(0),
    ),
    mostFee: BigInt(header.numSignerAccounts) * feePerSignature + priorityFeeOf(instructions.map((each) => Buffer.from(each.data ?? []))),
  }
}

/** The official library wants the limit of units first, and their price second. */
function priorityFeeOf([limit, price]: readonly Buffer[]): bigint {
  const units = limit?.length === 5 ? BigInt(limit.readUInt32LE(1)) : mostUnits
  const unitPrice = price?.length === 9 ? price.readBigUInt64LE(1) : 0n
  return (units * unitPrice + 999_999n) / 1_000_000n
}

const mostUnits = 1_400_000n
