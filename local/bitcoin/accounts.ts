import { createHash } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import * as btc from '@scure/btc-signer'
import { pubECDSA, pubSchnorr } from '@scure/btc-signer/utils.js'
import { regtest } from './script.ts'

/** Anyone can compute these keys, so they must control nothing but coins of local chains. */
const keyOf = (name: string): Uint8Array => createHash('sha256').update(`till:local:bitcoin:${name}`).digest()

const testnet = { private: 0x04358394, public: 0x043587cf }

/** The account of P2WPKH addresses from whose keys the service makes the addresses of its orders. */
const operatorKey = HDKey.fromMasterSeed(keyOf('operator'), testnet).derive("m/84'/1'/0'")

export const bitcoinOperator = {
  /** The address of the account's own key. No order has it. */
  address: btc.p2wpkh(operatorKey.publicKey!, regtest).address!,
  private_key: operatorKey.privateExtendedKey,
}

export interface BitcoinWallet {
  readonly family: 'bitcoin'
  readonly address: string
  /** The private key in the form that wallets import (WIF). */
  readonly secret: string
}

function wallet(name: string): BitcoinWallet {
  const key = keyOf(name)
  return { family: 'bitcoin', address: btc.p2wpkh(pubECDSA(key), regtest).address!, secret: btc.WIF(regtest).encode(key) }
}

/** Payers who have coins. */
export const bitcoinWallets: readonly BitcoinWallet[] = Array.from({ length: 3 }, (_, i) => wallet(`payer:${i}`))

/** The merchant's wallet has P2TR addresses, and the operator's P2WPKH ones, so that both kinds are paid. */
export const bitcoinMerchant = btc.p2tr(pubSchnorr(keyOf('merchant')), undefined, regtest).address!
export const bitcoinFeeCollector = wallet('fees').address
