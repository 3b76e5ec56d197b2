import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519'
import { type Address, getBase58Decoder } from '@solana/kit'
import { addressOfKey } from '../../server/chains/solana/signer.ts'

/** Anyone can compute these keys, so they must control nothing but coins of local chains. */
const keyOf = (name: string): Uint8Array => createHash('sha256').update(`till:local:solana:${name}`).digest()

/** Wallets export a private key with its public one behind it. */
const exported = (key: Uint8Array): string => getBase58Decoder().decode(Buffer.concat([key, ed25519.getPublicKey(key)]))

/** The keys of the orders' addresses derive from this seed. */
export const solanaSeed = Buffer.from(keyOf('seed')).toString('hex')

/** Pays the fees of every settlement. */
export const solanaOperator = { address: addressOfKey(keyOf('operator')), private_key: exported(keyOf('operator')) }

export interface SolanaWallet {
  readonly family: 'solana'
  readonly address: Address
  /** The private key in the form that wallets import. */
  readonly secret: string
}

const wallet = (name: string): SolanaWallet => ({ family: 'solana', address: addressOfKey(keyOf(name)), secret: exported(keyOf(name)) })

/** Payers who have coins and tokens. */
export const solanaWallets: readonly SolanaWallet[] = Array.from({ length: 3 }, (_, i) => wallet(`payer:${i}`))

export const solanaMerchant = wallet('merchant').address
export const solanaFeeCollector = wallet('fees').address

/** A token is known by the key with which it was made. */
export const mintKey = (symbol: string): Uint8Array => keyOf(`token:${symbol}`)
