import {
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { lifetime, type Ledger } from './ledger.ts'
import { decodeTransaction } from './wire-transaction.ts'

/** Signs these instructions and includes them in the open block. Rejects if they fail. Returns the transaction's signature. */
export async function transact(ledger: Ledger, payer: KeyPairSigner, instructions: readonly Instruction[]): Promise<string> {
  // A block that a fork may drop would take the transaction with it for good.
  const { hash, height } = ledger.tip('finalized')
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: hash as Blockhash, lastValidBlockHeight: BigInt(height + lifetime) }, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  )
  const wire = decodeTransaction(Uint8Array.from(getTransactionEncoder().encode(await signTransactionMessageWithSigners(message))))
  if (wire?.signature === undefined) throw new Error('a transaction of local mode cannot be read')
  const submitted = await ledger.submit(wire)
  // Two equal transactions within a block are one.
  if (submitted.is === 'known') return wire.signature
  if (submitted.is !== 'landed') throw new Error(`A transaction of local mode is ${submitted.is}.`)
  if (submitted.transaction.error !== undefined)
    throw new Error(`A transaction of local mode fails: ${JSON.stringify(submitted.transaction.error)}`)
  return wire.signature
}
