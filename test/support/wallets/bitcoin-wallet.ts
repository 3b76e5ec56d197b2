import { createHash } from 'node:crypto'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1'
import * as btc from '@scure/btc-signer'
import { regtest } from '../../../local/bitcoin/script.ts'

export interface BitcoinAccount {
  readonly address: string
  readonly script: Uint8Array
  readonly privateKey: Uint8Array
  /** The key inside a P2TR address, which its input must name. */
  readonly tapInternalKey?: Uint8Array
}

export interface OwnedCoin {
  readonly owner: BitcoinAccount
  readonly txid: string
  readonly vout: number
  readonly amount: bigint
}

const keyOf = (name: string): Uint8Array => createHash('sha256').update(`till test ${name}`).digest()

/** An account whose addresses are P2WPKH. */
export function keyHashAccount(name: string): BitcoinAccount {
  const privateKey = keyOf(name)
  const { address, script } = btc.p2wpkh(secp256k1.getPublicKey(privateKey, true), regtest)
  return { address: address!, script, privateKey }
}

/** An account whose addresses are P2TR. */
export function taprootAccount(name: string): BitcoinAccount {
  const privateKey = keyOf(name)
  const { address, script, tapInternalKey } = btc.p2tr(schnorr.getPublicKey(privateKey), undefined, regtest)
  return { address: address!, script, privateKey, tapInternalKey }
}

export interface Spending {
  /** Addresses or scripts, and what each gets. */
  readonly outputs: readonly (readonly [to: string | Uint8Array, amount: bigint])[]
  readonly sequence?: number
  readonly lockTime?: number
  readonly sighash?: number
}

/** Signs a transaction that spends coins. What its outputs leave is the fee. */
export function spend(coins: readonly OwnedCoin[], { outputs, sequence = 0xfffffffd, lockTime = 0, sighash }: Spending): btc.Transaction {
  const transaction = new btc.Transaction({ lockTime, allowUnknownOutputs: true })
  for (const { owner, txid, vout, amount } of coins) {
    const { script, tapInternalKey } = owner
    transaction.addInput({ txid, index: vout, sequence, tapInternalKey, sighashType: sighash, witnessUtxo: { script, amount } })
  }
  for (const [to, amount] of outputs) {
    if (typeof to === 'string') transaction.addOutputAddress(to, amount, regtest)
    else transaction.addOutput({ script: to, amount })
  }
  for (const [index, { owner }] of coins.entries())
    transaction.signIdx(owner.privateKey, index, sighash === undefined ? undefined : [sighash])
  transaction.finalize()
  return transaction
}
