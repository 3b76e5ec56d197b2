import { createHash } from 'node:crypto'
import {
  type Address,
  appendTransactionMessageInstruction,
  type Blockhash,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getSignatureFromTransaction,
  getTransactionEncoder,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { lifetime, type Ledger } from './ledger.ts'
import { decodeTransaction } from './wire-transaction.ts'

const supply = 500_000_000_000_000_000n

/** The account that has all coins of a new chain, whose key is worth nothing. */
const faucetKey = createHash('sha256').update('till: the faucet of the local Solana chain').digest()

/** Pays lamports to anyone who asks, in a transaction like any other. */
export interface Faucet {
  pay(to: Address, amount: bigint): Promise<string>
}

export async function createFaucet(ledger: Ledger): Promise<Faucet> {
  const faucet = await createKeyPairSignerFromPrivateKeyBytes(faucetKey)
  ledger.give(faucet.address, {
    address: faucet.address,
    lamports: lamports(supply),
    data: new Uint8Array(),
    executable: false,
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    space: 0n,
  })
  return { pay: (to, amount) => pay(ledger, faucet, to, amount) }
}

async function pay(ledger: Ledger, faucet: KeyPairSigner, destination: Address, amount: bigint): Promise<string> {
  const { hash, height } = ledger.tip('processed')
  const lifetimeOf = { blockhash: hash as Blockhash, lastValidBlockHeight: BigInt(height + lifetime) }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(faucet, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetimeOf, paid),
    (timed) => appendTransactionMessageInstruction(getTransferSolInstruction({ source: faucet, destination, amount }), timed),
  )
  const signed = await signTransactionMessageWithSigners(message)
  const wire = decodeTransaction(Uint8Array.from(getTransactionEncoder().encode(signed)))
  if (!wire) throw new Error('the faucet’s own transaction cannot be read')
  const { is } = await ledger.submit(wire)
  // Two equal payments within a block are one transaction.
  if (is !== 'landed' && is !== 'known') throw new Error(`The faucet cannot pay: its transaction is ${is}.`)
  return getSignatureFromTransaction(signed)
}
