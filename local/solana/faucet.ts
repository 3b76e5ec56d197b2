import { createHash } from 'node:crypto'
import { type Address, createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner, lamports } from '@solana/kit'
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { Ledger } from './ledger.ts'
import { transact } from './transact.ts'

const supply = 500_000_000_000_000_000n

/** The account that has all coins of a new chain, whose key is worth nothing. */
const faucetKey = createHash('sha256').update('till: the faucet of the local Solana chain').digest()

/** Pays lamports to anyone who asks, in a transaction like any other. */
export interface Faucet {
  readonly signer: KeyPairSigner
  pay(to: Address, amount: bigint): Promise<string>
}

export async function createFaucet(ledger: Ledger): Promise<Faucet> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(faucetKey)
  ledger.give(signer.address, {
    address: signer.address,
    lamports: lamports(supply),
    data: new Uint8Array(),
    executable: false,
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    space: 0n,
  })
  return {
    signer,
    pay: (destination, amount) => transact(ledger, signer, [getTransferSolInstruction({ source: signer, destination, amount })]),
  }
}
